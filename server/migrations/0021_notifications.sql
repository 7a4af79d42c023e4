-- What a person is told, in the app, by mail and by push: one row for each person and thing.
alter table notifications
  add column kind text not null default 'incident' check (kind in ('decision', 'incident', 'run', 'token')),
  -- What it is about: the key of a decision, an incident or a run; the id of a token.
  add column thing text,
  -- What happened to it: opened, resolved, raised, …
  add column what text,
  -- Whether the app shows it; some have chosen to be mailed only.
  add column in_app boolean not null default true,
  -- When a page first showed it, and when a mail and the first push were sent.
  add column shown_at timestamptz,
  add column mailed_at timestamptz,
  add column pushed_at timestamptz;

-- Nobody ever saw what was written until now: it is neither shown nor counted as told.
update notifications n
set in_app = false, thing = coalesce(i.key, n.id::text),
  what = case when n.title like '% is resolved: %' then 'resolved' else 'opened' end
from notifications o
left join incidents i on i.workspace_id = o.workspace_id and i.id = o.incident_id
where o.id = n.id;

alter table notifications
  alter column kind drop default,
  alter column in_app drop default,
  alter column thing set not null,
  alter column what set not null,
  drop column incident_id;
drop index notifications_by_person;
create index notifications_by_person on notifications (workspace_id, person_id, id desc) where in_app;
create index notifications_unread on notifications (workspace_id, person_id, id desc) where in_app and read_at is null;

-- Of two old ones about the same thing the first is kept.
delete from notifications n using notifications o
where (o.workspace_id, o.kind, o.thing, o.what, o.person_id) = (n.workspace_id, n.kind, n.thing, n.what, n.person_id)
  and o.id < n.id;
create unique index notifications_once on notifications (workspace_id, kind, thing, what, person_id);

-- What a person has chosen; a kind without a row is told as contract/notifications.ts says.
create table notification_settings (
  person_id uuid not null references people on delete cascade,
  kind text not null check (kind in ('decision', 'incident', 'run', 'token')),
  in_app boolean not null,
  by_mail boolean not null,
  by_push boolean not null,
  primary key (person_id, kind)
);

-- A browser that takes pushes. It takes them for as long as its session lives: whoever signs out hears nothing more.
create table push_subscriptions (
  id uuid primary key,
  person_id uuid not null references people on delete cascade,
  session_id uuid not null references sessions on delete cascade,
  endpoint text not null unique check (length(endpoint) <= 2000),
  -- What the payload is encrypted for, as the browser gave it (base64url).
  p256dh text not null,
  auth text not null,
  created_at timestamptz not null
);
create index push_subscriptions_by_person on push_subscriptions (person_id, id);
create index push_subscriptions_by_session on push_subscriptions (session_id);

-- Null when no person filed it, or it was filed before this was noted.
alter table stories add column filed_by uuid references people;
