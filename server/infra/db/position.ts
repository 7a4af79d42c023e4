import { ReplicaBehind } from './away.ts'

/**
 * How far the write-ahead log has come, in bytes from its beginning. A replica replays commits in the order in which the
 * primary has made them: if it is as far as the primary was after a commit, it shows what was committed.
 */
export type Position = number

/** As a number: it is exact up to 8 petabytes. */
const bytesOf = (lsn: string) => `pg_wal_lsn_diff(${lsn}, '0/0')::bigint`

/** Of the primary, including what was committed and is not on the disk yet, as `synchronous_commit = off` allows. */
export const presentPosition = bytesOf('pg_current_wal_insert_lsn()')

/** What no reader asks for less than, and a server that must not be read from has. */
const nowhere = -1

/** Everybody asks for at least that; nothing answers to it. */
export const beyond = Number.POSITIVE_INFINITY

/**
 * Asks a replica how far it is, on the connection of the read and before it: behind one address there may be several
 * replicas. Each commit says when it was made, and the nodes commit several times a second, so a replica that has
 * replayed none for longer is late, whether it is slow or cut off. One that is no replica any more may have gone its own
 * way since.
 */
export class PositionCheck {
  readonly name = 'position'
  readonly text: string
  readonly values: unknown[] = []

  constructor({ longestLagMs }: { longestLagMs: number }) {
    this.text = `select case
      when pg_is_in_recovery()
        and pg_last_xact_replay_timestamp() > clock_timestamp() - interval '${Math.round(longestLagMs)} milliseconds'
      then ${bytesOf('pg_last_wal_replay_lsn()')} else ${nowhere} end as position`
  }

  positionIn([row]: readonly { position?: unknown }[]): Position {
    return typeof row?.position === 'number' ? row.position : nowhere
  }
}

/** `from`: what the reader has to see. */
export function refuseBehind(from: Position, at: Position): void {
  if (from > at) throw new ReplicaBehind('The replica has not yet replayed what the reader has to see.')
}
