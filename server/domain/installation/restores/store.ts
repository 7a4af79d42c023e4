import { reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

export const selectAllWorkspaces = reads.many<Sql.SelectAllWorkspaces>()(
  'select id, slug, name from workspaces order by id',
)

// What was given out after the backup is in use somewhere: in a tracker, on a branch, in a runner's hand. The counters
// go on far behind it.

export const skipKeysOfAllWorkspaces = writes.run<Sql.SkipKeysOfAllWorkspaces>('count')(
  'update key_counters set last = last + :count',
)

export const skipStoryNumbersOfAllWorkspaces = writes.run<Sql.SkipStoryNumbersOfAllWorkspaces>('count')(
  'update teams set last_story_number = last_story_number + :count where last_story_number > 0',
)

/** Receivers of webhooks take the highest number of an object for the newest. */
export const skipSequencesOfAllWorkspaces = writes.run<Sql.SkipSequencesOfAllWorkspaces>('count')(
  'update webhook_sequences set last = last + :count',
)

export const skipRunnerSessionsOfAllWorkspaces = writes.run<Sql.SkipRunnerSessionsOfAllWorkspaces>('count')(
  `select max(nextval('runner_sessions')) from generate_series(1, :count::int)`,
)

/** Runners have gone on: under its number they may have finished the order, or work on a later one. */
export const outdateOrdersOfAllWorkspaces = writes.count<Sql.OutdateOrdersOfAllWorkspaces>('count')(`
  with outdated as (
    update work_orders set fence = fence + :count where state <> 'ended' and person_id is null
    returning run_id, fence
  )
  update runs r set fence = outdated.fence from outdated where r.id = outdated.run_id`)

/** Some may have been ended, and some people removed, since. */
export const deleteSessionsOfAllPeople = writes.run<Sql.DeleteSessionsOfAllPeople>()('delete from sessions')
