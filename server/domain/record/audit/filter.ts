import type { AuditFilter } from '@signalbox/contract/audit.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import { DomainError } from '../../errors.ts'
import { momentIn } from '../../moments.ts'

/** A filter as the store wants it: moments have become bounds on ids, which begin with their millisecond. */
export interface EntryFilter {
  team?: string | undefined
  actor?: string | undefined
  event?: string | undefined
  run?: string | undefined
  fromId?: string | undefined
  beforeId?: string | undefined
}

export function entryFilter({ from, to, ...rest }: AuditFilter): EntryFilter {
  const first = from === undefined ? undefined : momentIn('from', from)
  const last = to === undefined ? undefined : momentIn('to', to)
  if (first && last && first.start >= last.end) {
    throw new DomainError('invalid_parameter', '`from` must not be later than `to`.')
  }
  return {
    ...rest,
    fromId: first && firstIdFrom(first.start),
    beforeId: last && firstIdFrom(last.end),
  }
}

/** Ids begin in 1970, and so does the log. */
const firstIdFrom = (moment: number) => firstIdAt(new Date(Math.max(0, moment)))
