import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { nextKey } from '../../keys.ts'
import type { Entry } from '../../record/audit/change.ts'
import { followInChat, showInChat } from '../../work/chat/show-decision.ts'
import { type Asked, askerOf, checkFacts } from '../../work/decisions/facts.ts'
import { questionOf } from '../../work/decisions/kinds.ts'
import { closePending, insertDecision } from './decision-store.ts'
import { notifyOfDecision } from './notify.ts'

export type Raised = Asked & {
  /** The story's title, or the proposal's. */
  title: string
  team: { id: string; slug: string }
  story: { id: string; key: string } | null
  run: { id: string; key: string } | null
  proposalId?: string
  incidentId?: string
}

const daysToAnswer = 7

/** Asks a person. An older question of the same kind about the same run is superseded. */
export async function raiseDecision(
  ctx: Context,
  tx: Tx,
  raised: Raised,
): Promise<{ key: string; entries: Entry[] }> {
  const at = ctx.clock.now()
  const about = { team: raised.team.slug, runKey: raised.run?.key ?? null }
  const entries: Entry[] = []
  const asker = askerOf(raised.kind, raised.facts)
  // A question of an agent from outside does not replace the one that the run itself waits for.
  if (raised.run && !asker) {
    for (const older of await closePending(tx, ctx.workspaceId, 'superseded', raised.run.id, raised.kind)) {
      await followInChat(ctx, tx, older.key, 'superseded')
      entries.push({
        byService: true,
        event: 'decision_superseded',
        ...about,
        entity: { type: 'decision', id: older.key, name: older.title },
        details: { kind: raised.kind },
      })
    }
  }
  checkFacts(raised)
  const question = questionOf(raised.kind, raised)
  const key = await nextKey(tx, ctx.workspaceId, 'dec')
  await insertDecision(tx, ctx.workspaceId, {
    id: newId(at),
    key,
    teamId: raised.team.id,
    storyId: raised.story?.id ?? null,
    runId: raised.run?.id ?? null,
    proposalId: raised.proposalId ?? null,
    incidentId: raised.incidentId ?? null,
    kind: raised.kind,
    ...question,
    facts: raised.facts,
    createdAt: at,
    expiresAt: new Date(at.getTime() + daysToAnswer * 86_400_000),
  })
  await showInChat(ctx, tx, key, raised.team.id)
  await notifyOfDecision(ctx, tx, raised, { ...question, key })
  entries.push({
    ...(asker ? {} : { byService: true }),
    event: 'decision_raised',
    ...about,
    entity: { type: 'decision', id: key, name: question.title },
    details: { kind: raised.kind, recommendation: question.recommendation },
  })
  return { key, entries }
}
