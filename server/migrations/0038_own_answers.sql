-- Whether a token may answer what a coding agent of the same person asked. So far the newest audit entry about it was
-- the setting.
alter table workspaces add column own_answers boolean not null default true;

update workspaces set own_answers = said.after <> 'forbidden'
from (
  select distinct on (e.workspace_id) e.workspace_id, one ->> 'after' as after
  from audit_entries e cross join lateral jsonb_array_elements(e.entry::jsonb #> '{details,changes}') as one
  where e.event = 'workspace_changed' and one ->> 'field' = 'ownAnswers'
  order by e.workspace_id, e.id desc
) as said
where said.workspace_id = workspaces.id;
