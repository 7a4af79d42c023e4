import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { wakeTeams } from './wake-teams.ts'

/** A repository or the way to it was changed: runs that could not read theirs try now, not at their next time. */
export const tryRepositories = (ctx: Context): Promise<void> =>
  housekeeping(ctx.db, 'a repository may be readable now', (tx) => wakeTeams(ctx, tx))
