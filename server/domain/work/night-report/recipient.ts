import type { NightReport } from '@signalbox/contract/app/night-report.ts'
import type { Context } from '../../context.ts'
import { readSent } from './read.ts'
import { selectRecipient } from './store.ts'

/** What could not be sent for so long is no morning's report any more. */
const dayMs = 86_400_000

export interface Recipient {
  name: string
  email: string
  workspace: string
  report: NightReport
}

/** A person and their report of a morning, made for the role they have now; null: they have left, or it is old. */
export async function recipientOf(
  ctx: Context,
  { person, morning }: { person: string; morning: string },
): Promise<Recipient | null> {
  const found = await selectRecipient(ctx.db, ctx.workspaceId, person)
  if (!found) return null
  const { name, email, workspace, role } = found
  const actor = { type: 'human', name, userId: person, role } as const
  const report = await readSent({ ...ctx, actor }, morning)
  const oldest = ctx.clock.now().getTime() - dayMs
  return report && Date.parse(report.until) > oldest ? { name, email, workspace, report } : null
}
