import type { Context } from '../../context.ts'
import { selectLagOfAllWorkspaces } from './store.ts'

/** What of the audit log is sealed and not sent yet, since when, and why it cannot be sent, if it cannot. */
export const readStreamLag = ({ db }: Pick<Context, 'db'>) => selectLagOfAllWorkspaces(db)
