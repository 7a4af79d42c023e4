-- A second pair of eyes: which coding agent reads a change that has passed its gates, and whether what it finds holds a
-- merge. Off, until someone says so.
alter table policies
  add column review_by text not null default 'off',
  add column review_model text,
  add column review_holds_merge boolean not null default false;
