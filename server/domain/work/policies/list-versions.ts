import type { KeptPolicyVersion } from '@signalbox/contract/app/policies.ts'
import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageFrom, sliceFor } from '../../page.ts'
import { requireTeam } from '../teams/read.ts'
import { selectKeptPolicies } from './store.ts'

/** Every policy a team has had, newest first, with who changed it, when and why. */
export async function listPolicyVersions(
  ctx: Context,
  team: string,
  page: PageRequest,
): Promise<Page<KeptPolicyVersion>> {
  const rows = await selectKeptPolicies(ctx.db, ctx.workspaceId, team, sliceFor(page))
  if (rows.length === 0) await requireTeam(ctx, team)
  return pageFrom(rows, page)
}
