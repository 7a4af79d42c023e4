import type { Db } from '../../../infra/db/db.ts'
import { selectLastGoodOfAllWorkspaces, selectLastTriedOfAllWorkspaces } from './store.ts'

/** How the backups of this installation are. */
export interface LastBackup {
  /** The newest that was written and read back; null: there is none. */
  good: {
    id: string
    cause: 'schedule' | 'operator'
    /** As of when the data in it is. */
    takenAt: Date
    endedAt: Date
    /** The folder it is in; null: it was written to standard output. */
    place: string | null
    encrypted: boolean
    bytes: number
    rows: number
  } | null
  /** The newest that was begun, whether or not it succeeded; without an end, it is under way or its node was killed. */
  tried: {
    cause: 'schedule' | 'operator'
    begunAt: Date
    endedAt: Date | null
    error: string | null
  } | null
}

/** For metrics, the System page and others who ask whether there is something to restore from. */
export async function lastBackup(db: Db): Promise<LastBackup> {
  const [good, tried] = await Promise.all([
    selectLastGoodOfAllWorkspaces(db),
    selectLastTriedOfAllWorkspaces(db),
  ])
  return { good: good ?? null, tried: tried ?? null }
}
