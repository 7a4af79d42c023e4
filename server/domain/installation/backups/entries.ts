import type { Tx } from '../../../infra/db/db.ts'
import { type Actor, asService, type Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { selectAllWorkspaces } from './store.ts'

/** What is copied, to where, and who does it. */
export interface CopiedBy {
  part: 'all' | 'database' | 'secrets'
  /** The folder; null: it goes to standard output. */
  place: string | null
  encrypted: boolean
  /** The machine that does it. */
  host: string
  /** The operator; null: the server itself, because it was due. */
  by: Actor | null
}

export const causeOf = ({ by }: Pick<CopiedBy, 'by'>): 'schedule' | 'operator' =>
  by === null ? 'schedule' : 'operator'

export interface CompletedCopy {
  takenAt: Date
  bytes: number
  rows: number
}

/** The entries about one copy: every workspace is in it, so the log of each says so. */
export async function entriesOf(
  services: Pick<Context, 'db' | 'clock' | 'queue'>,
  tx: Tx,
  backup: string,
  about: CopiedBy,
  outcome: CompletedCopy | { reason: string },
): Promise<{ ctx: Context; entry: Entry }[]> {
  const { place, by, ...said } = about
  const isFailure = 'reason' in outcome
  const details = {
    ...{ backup, cause: causeOf(about), ...said },
    ...(place === null ? {} : { place }),
    ...(isFailure ? { reason: outcome.reason } : about.part === 'secrets' ? {} : extent(outcome)),
  }
  return (await selectAllWorkspaces(tx)).map(({ id, slug, name }) => ({
    ctx: contextOf(services, about, id),
    entry: {
      event: 'backup_created',
      entity: { type: 'workspace', id: slug, name },
      result: isFailure ? 'failure' : 'success',
      details,
    },
  }))
}

const extent = ({ takenAt, bytes, rows }: CompletedCopy) => ({ takenAt: takenAt.toISOString(), bytes, rows })

const contextOf = (
  services: Pick<Context, 'db' | 'clock' | 'queue'>,
  { by }: CopiedBy,
  workspaceId: string,
): Context =>
  by === null
    ? asService(services, workspaceId)
    : { ...services, workspaceId, actor: by, channel: 'operator' }
