import type { Context } from '../../context.ts'
import { lookAtBlocked, withBlockers } from './blockers.ts'
import { importIssue, importIssues } from './import-issue.ts'
import { findingIssues, type MirrorServices, reach } from './reach.ts'
import { selectBindings, selectKnown } from './store.ts'

/**
 * A webhook is only a hint: nothing is taken from it, the issue is fetched. Returns in words what it meant. Throws what
 * the tool throws; the caller tries again, and otherwise a sweep makes up for it.
 */
export async function handleTrackerWebhook(
  ctx: Context,
  services: Pick<MirrorServices, 'trackers' | 'secrets'>,
  delivery: { connectionId: string; event: string; body: unknown },
): Promise<string | null> {
  const { connectionId, event, body } = delivery
  const bindings = await selectBindings(ctx.db, ctx.workspaceId, { connectionId })
  const { kind } = bindings[0] ?? {}
  if (!kind || kind === 'slack' || typeof body !== 'object' || body === null) return null
  const hints = services.trackers[kind].hints(event, body)
  const said: string[] = []
  for (const { projects, issue: id } of hints) {
    for (const binding of bindings) {
      const names = [binding.project.id, binding.project.key].map((name) => name.toLowerCase())
      const [known] = await selectKnown(ctx.db, ctx.workspaceId, binding, [id])
      const isHere = projects.length === 0 || projects.some((name) => names.includes(name.toLowerCase()))
      // One that was moved names its new project; we still have it under the old one.
      if (!isHere && known?.teamId !== binding.team.id) continue
      // The import that is about to begin reads it.
      if (binding.statuses === null) continue
      const issue = await reach(ctx, services, binding, async (tracker, at) => {
        const found = await findingIssues(tracker, at)(id)
        return found && (await withBlockers(tracker, at, binding, [found]))[0]!
      })
      if (issue) {
        const { filed, changed } = await importIssues(ctx, binding, [issue])
        // What it blocked may be free now.
        if (changed)
          await reach(ctx, services, binding, (tracker, at) => lookAtBlocked(ctx, tracker, at, binding))
        said.push(`${issue.key}: ${filed ? 'filed as a story' : changed ? 'taken in' : 'known already'}`)
      } else if (known?.teamId === binding.team.id) {
        await importIssue(ctx, binding, known.storyId, null)
        said.push(`Issue ${id} is gone`)
      }
    }
  }
  return said.length > 0 ? `${said.join('; ')}.` : null
}
