import type { answerChannels, DecisionAnswer, ResolvedDecision } from '@signalbox/contract/decision.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { needsNote, noteMissing } from '@signalbox/contract/note-needed.ts'
import { fromJson, type Json, withFields } from '@signalbox/contract/shapes.ts'
import { requireTokenMayAnswerOwnAgent } from '../../accounts/workspaces/token-answers-own-agent.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { once } from '../../record/idempotency/once.ts'
import { requireRole } from '../../roles.ts'
import { followInChat } from '../../work/chat/show-decision.ts'
import { askerOf } from '../../work/decisions/facts.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import {
  type Answerable,
  insertEffects,
  markResolved,
  selectAnswerable,
} from '../lifecycle/decision-store.ts'
import { lockRun } from '../machine/lock.ts'
import { actions } from './index.ts'
import { answerOneAtATime } from './one-at-a-time.ts'
import { requirePerson } from './require-person.ts'

export interface Answer extends DecisionAnswer {
  key: string
  /** The same key, sent again within a day, gets the same answer back. */
  idempotencyKey?: string | undefined
  /** The channel can ask for a note, so that an answer which is empty without one is refused. REST takes it as it is. */
  asksForNote?: true
}

/** Answers a decision. The first answer wins, whichever channel it came through; its action takes effect once. */
export async function resolveDecision(ctx: Context, answer: Answer): Promise<Json<ResolvedDecision>> {
  const decision = await selectAnswerable(ctx.db, ctx.workspaceId, answer.key)
  if (!decision) throw notFound('decision', answer.key)
  requireRole(ctx, decision.authority, 'answer this decision')
  const option = decision.options.find(({ id }) => id === answer.optionId)
  if (!option) throw new DomainError('invalid_option', noSuchOption(decision, answer.optionId))
  const note = checkedNote(answer.note)
  // A late answer fails here instead of waiting, unless it may repeat the same request.
  if (decision.status === 'resolved' && answer.idempotencyKey === undefined) throw tooLate(decision)
  if (answer.asksForNote && decision.status === 'pending' && note === null && needsNote(option))
    throw new DomainError('invalid_request', noteMissing(option))
  const isOwn = isOwnQuestion(ctx, decision)
  if (isOwn) await requireTokenMayAnswerOwnAgent(ctx)
  await requirePerson(ctx, decision, option)

  const notLate = async () => {
    const now = await selectAnswerable(ctx.db, ctx.workspaceId, answer.key)
    if (now?.status === 'resolved' && answer.idempotencyKey === undefined) throw tooLate(now)
  }
  const turn = { db: ctx.db, decisionId: decision.id }
  return answerOneAtATime(turn, notLate, () => take(ctx, { ...answer, note }, { decision, option, isOwn }))
}

interface Taken {
  decision: Answerable
  option: Answerable['options'][number]
  isOwn: boolean
}

function take(
  ctx: Context,
  answer: Answer & { note: string | null },
  { decision, option, isOwn }: Taken,
): Promise<Json<ResolvedDecision>> {
  const { note } = answer
  return change(ctx, async (tx) => {
    const request = JSON.stringify(['resolve', answer.key, answer.optionId, note])
    return once(ctx, tx, { key: answer.idempotencyKey, request }, async () => {
      // Lock order: team, run, decision.
      if (decision.proposalId || decision.kind === 'revert_approval')
        await lockTeamById(tx, ctx.workspaceId, decision.team.id)
      // Sent in this order, answered together.
      const [run, resolved] = await Promise.all([
        decision.runId ? lockRun(tx, ctx.workspaceId, { id: decision.runId }) : null,
        markResolved(tx, ctx.workspaceId, decision, {
          optionId: option.id,
          note,
          by: ctx.actor.type === 'human' ? ctx.actor.userId : null,
          via: ctx.channel,
          presence: ctx.origin?.presence ?? null,
          at: ctx.clock.now(),
        }),
        followInChat(ctx, tx, decision.key, 'resolved'),
      ])
      if (!resolved) throw tooLate((await selectAnswerable(tx, ctx.workspaceId, answer.key))!)
      const { effects, entries } = await actions[option.action](ctx, tx, { decision, option, note, run })
      await insertEffects(tx, ctx.workspaceId, decision.id, effects)
      return {
        value: withFields(resolved, { effects }),
        audit: [
          {
            event: 'decision_resolved',
            team: decision.team.slug,
            runKey: decision.runKey,
            entity: { type: 'decision', id: decision.key, name: decision.title },
            details: {
              kind: decision.kind,
              optionId: option.id,
              action: option.action,
              note,
              ...(isOwn ? { ownQuestion: true } : {}),
              effects: effects.map(({ type, status, target }) => ({ type, status, target })),
            },
          },
          ...entries,
        ],
      }
    })
  })
}

const channelWords: Record<(typeof answerChannels)[number], string> = {
  app: 'in the app',
  slack: 'in Slack',
  mcp: 'over MCP',
  api: 'over the API',
}

/** Whether the token that answers belongs to the person whose own agent asked: it may be the agent that answers. */
const isOwnQuestion = ({ actor, origin }: Context, { kind, facts }: Answerable): boolean =>
  origin?.tokenPrefix !== undefined &&
  actor.type === 'human' &&
  askerOf(kind, facts)?.personId === actor.userId

const noSuchOption = ({ key, options }: Answerable, optionId: string) =>
  `Decision \`${key}\` has no option \`${optionId.slice(0, 100)}\`. It has ${options.map(({ id }) => `\`${id}\``).join(', ')}.`

function checkedNote(note: string | null | undefined): string | null {
  if (note === undefined || note === null || note.trim() === '') return null
  if ([...note].length > maxNoteLength)
    throw new DomainError('invalid_request', `\`note\` is longer than ${maxNoteLength} characters.`)
  if (note.includes('\0')) throw new DomainError('invalid_request', '`note` contains a NUL character.')
  if (!note.isWellFormed())
    throw new DomainError('invalid_request', '`note` contains half a character (a lone surrogate).')
  return note
}

function tooLate({ key, status, resolvedBy, wire }: Answerable): DomainError {
  if (status === 'resolved') {
    const { resolution, resolvedVia } = fromJson(wire)
    return new DomainError(
      'decision_already_resolved',
      `Decision \`${key}\` is already resolved: ${resolvedBy ?? 'Someone'} answered \`${resolution?.optionId}\` ${channelWords[resolvedVia ?? 'app']}. The first answer wins.`,
    )
  }
  // Pending, yet not to be had: its time is over and the timer has not come by.
  const now = status === 'pending' ? 'expired' : status
  return new DomainError(
    'decision_not_pending',
    `Decision \`${key}\` is ${now} and can no longer be answered.`,
  )
}
