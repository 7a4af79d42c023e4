/**
 * How long the stage of the work order `o` was worked on in its attempt, in seconds: every order of it counts, from when
 * it was taken until it ended, or until `:now`. Handing an order back and taking it again gains no time.
 */
export const stageSeconds = `coalesce((
    select extract(epoch from sum(coalesce(x.ended_at, :now) - x.taken_at))::float8 from work_orders x
    where x.run_id = o.run_id and x.attempt = o.attempt and x.stage = o.stage and x.job = o.job
      and x.taken_at is not null and x.person_id is null
  ), 0)`
