import { isAtLeast } from '@signalbox/contract/roles.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { notify } from '../../accounts/notifications/add.ts'
import { membersAtLeast } from '../../accounts/workspaces/members-at-least.ts'
import type { Context } from '../../context.ts'
import { type Phase, statusOf } from '../../work/runs/phase.ts'
import { filerOf } from '../../work/stories/filer.ts'

interface Story {
  id: string
  key: string
}

/**
 * Tells the members who may answer that a decision waits. The person who filed the story, if they may not answer, is
 * told that its run waits for someone else.
 */
export async function notifyOfDecision(
  ctx: Context,
  tx: Tx,
  { run, story, title: about }: { run: { key: string } | null; story: Story | null; title: string },
  { key, title, authority }: { key: string; title: string; authority: 'owner' | 'admin' | 'member' },
): Promise<void> {
  const { workspaceId } = ctx
  await notify(ctx, tx, await membersAtLeast(tx, workspaceId, authority), {
    kind: 'decision',
    thing: key,
    what: 'raised',
    title,
    body: story
      ? `${key} about ${story.key} is waiting for your answer.`
      : `${key} is waiting for your answer.`,
  })
  const filer = run && story && (await filerOf(tx, workspaceId, story.id))
  if (!filer || isAtLeast(filer.role, authority)) return
  await notify(ctx, tx, [filer.personId], {
    kind: 'run',
    thing: run.key,
    what: `waits for ${key}`,
    title: `${run.key} is waiting for an answer: ${about}`,
    body: `${authority === 'owner' ? 'An owner' : 'An owner or admin'} can answer ${key}, which is about ${story.key}.`,
  })
}

const endings: Partial<Record<Phase, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  timed_out: 'timed out',
  stopped: 'was stopped',
}

/** Tells the person who filed the story how its run ended, unless they ended it. */
export async function notifyOfEnd(
  ctx: Context,
  tx: Tx,
  run: { key: string; team: { name: string }; story: Story & { title: string } },
  { phase, attempt }: { phase: Phase; attempt: number },
  reason: string | null,
): Promise<void> {
  const filer = await filerOf(tx, ctx.workspaceId, run.story.id)
  if (!filer || (ctx.actor.type === 'human' && ctx.actor.userId === filer.personId)) return
  await notify(ctx, tx, [filer.personId], {
    kind: 'run',
    thing: run.key,
    what: `${statusOf(phase)} in attempt ${attempt}`,
    title: `${run.key} ${endings[phase] ?? 'ended'}: ${run.story.title}`,
    body: `It worked on ${run.story.key} of ${run.team.name}.${reason ? ` ${reason}` : ''}`,
  })
}
