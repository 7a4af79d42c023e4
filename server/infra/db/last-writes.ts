import type * as Sql from './last-writes.types.ts'
import { presentPosition } from './position.ts'
import { statement } from './statement.ts'

/**
 * Where the log was after each person's last write. On the primary, because the node that reads need not be the one that
 * wrote: no node has to be told about it, or remembers anything.
 */

/** The row without which the table has been emptied, by a crash or a failover. */
export const nobody = '00000000-0000-0000-0000-000000000000'

/** Behind the commit, so that the commit is in it. Sorted: two that note the same people meet in one order. */
export const upsertLastWrites = statement<Sql.UpsertLastWrites>(`
  insert into last_writes as w (person_id, position)
  select id, ${presentPosition} from unnest(:personIds::uuid[]) as id order by id
  on conflict (person_id) do update set position = greatest(w.position, excluded.position)
  returning position`)

/** Null where the table has been emptied. What is beyond the end of the log comes from another database. */
export const selectLastWrite = statement<Sql.SelectLastWrite>(`
  select case when bool_or(person_id = '${nobody}') then least(max(position), ${presentPosition}) end as position
  from last_writes where person_id in (:personId, '${nobody}')`)
