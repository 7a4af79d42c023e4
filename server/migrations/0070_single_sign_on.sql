-- online
-- formerly: f799c50a9392ca06bdcc32e4f196ee220280a80db35390ff08c3460afcbae56e

-- Whether a workspace is entered only with a session that the identity provider has made. A session of a browser says so by
-- its method; that of a terminal has it from the session that confirmed its code.
alter table workspaces add column if not exists requires_single_sign_on boolean not null default false;
alter table sessions add column if not exists through_provider boolean not null default false;
alter table device_codes add column if not exists through_provider boolean not null default false;
