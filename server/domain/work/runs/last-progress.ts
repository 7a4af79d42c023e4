/**
 * When the work order `o` last made progress: a report, a line of its log, or else that it was taken. A beat is no
 * progress, and when the runner says that its agent last did something is only its word.
 */
export const lastProgress = `greatest(o.taken_at, (
    select max(e.at) from run_events e where e.run_id = o.run_id and e.fence = o.fence
  ), (
    select l.at from run_log_ends z
    join run_log l on l.workspace_id = z.workspace_id and l.run_id = z.run_id and l.position = z.lines
    where z.run_id = o.run_id and z.fence = o.fence
  ))`
