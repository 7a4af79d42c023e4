/**
 * SQL for a story `s`: what is the matter with the story itself, so that it is not started from Ready; null when
 * nothing is. Dispatching takes only those where it is null, and the board says it of the others.
 */
export const shortcoming = `case
  when s.draft then 'draft'
  when s.readiness_score < 100 then 'readiness'
  when exists (
    select from runs r where r.workspace_id = s.workspace_id and r.story_id = s.id
      and r.phase not in ('succeeded', 'failed', 'timed_out', 'stopped')
  ) then 'run'
  when s.blocked_by <> '{}' or s.blockers_unread then 'blocked'
end`
