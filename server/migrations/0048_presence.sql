-- A token says nothing about who is there: its person, or a program that holds it. So no new workspace lets a token answer
-- what an agent of the same person asked. Workspaces that do keep what they have, and whoever can change it is told.
alter table workspaces alter column own_answers set default false;

insert into notifications (id, workspace_id, person_id, kind, thing, what, title, body, created_at, in_app)
select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7' || left(md5(random()::text), 3)
    || '8' || left(md5(random()::text), 15))::uuid, m.workspace_id, m.person_id, 'token', w.slug, 'own answers',
  'Agents can answer their own questions here',
  'In this workspace a token can answer what an agent of the same person asked. New workspaces do not allow that. To turn it off, open Settings, General.',
  now(), true
from workspaces w join memberships m on m.workspace_id = w.id
where w.own_answers and w.deleted_at is null and m.role in ('owner', 'admin')
on conflict do nothing;

-- With what a session was begun. Nobody knows it of those that are open already.
alter table sessions add column method text;

-- How the one who answered was there. Nobody knows it of older answers.
alter table decisions add column resolved_presence text
  check (resolved_presence in ('session', 'passkey', 'chat', 'token'));

-- Which decisions no token may answer. None, until somebody says so.
alter table policies add column person_answers text[] not null default '{}';
