import { createHash } from 'node:crypto'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { AnswerOption } from '../../ports/work.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { agentText } from '../../text.ts'
import { isOpen } from '../../work/runs/phase.ts'
import { lockStory } from '../../work/stories/lock.ts'
import { lockRun } from '../machine/lock.ts'
import { selectAsked } from './decision-store.ts'
import { raiseDecision } from './raise.ts'
import { selectTeamOfStory } from './team-store.ts'

export interface Question {
  /** What it is about: a story, or the story of a run that is not over. */
  about: { story: string } | { run: string }
  question: string
  context?: string | undefined
  options: AnswerOption[]
  recommendation: string
  /** The same key is the same question; without one, the same words are. */
  idempotencyKey?: string | undefined
}

/**
 * Asks people for a coding agent that a person runs on their own machine, and returns the decision's key. No run waits
 * for it: the answer is kept, and the agent reads it. A question that is sent again is asked once.
 */
export async function askPeople(ctx: Context, input: Question): Promise<string> {
  requireRole(ctx, 'member', 'ask a question')
  const { actor } = ctx
  if (actor.type !== 'human') throw new Error('Only a person’s agent asks from outside.')
  const { about, ...question } = checked(input)
  const request = digestOf(actor.userId, input)
  return change(ctx, async (tx) => {
    const run = 'run' in about ? await lockRun(tx, ctx.workspaceId, { key: about.run }) : null
    if (run && !isOpen(run.state.phase)) {
      throw new DomainError(
        'conflict',
        `Run \`${run.key}\` is over. Ask about its story \`${run.story.key}\` instead.`,
      )
    }
    const story = await lockStory(ctx, tx, run ? run.story.key : (about as { story: string }).story)
    const team = await selectTeamOfStory(tx, ctx.workspaceId, story.id)
    if (!team) throw new DomainError('conflict', `The team of story \`${story.key}\` was deleted.`)
    const before = await selectAsked(tx, ctx.workspaceId, story.id, request)
    if (before) return { value: before, audit: [] }
    const { key, entries } = await raiseDecision(ctx, tx, {
      kind: 'clarification',
      facts: { ...question, asker: { personId: actor.userId, name: actor.name, request } },
      title: story.title,
      team,
      story: { id: story.id, key: story.key },
      run: run && { id: run.id, key: run.key },
    })
    return { value: key, audit: entries }
  })
}

const optionId = /^[A-Za-z0-9][\w.-]{0,63}$/

function checked({ about, question, context = '', options, recommendation }: Question) {
  const offered = options.map(({ id, label }) => ({
    id,
    label: agentText(`The label of option ${id.slice(0, 64)}`, label, { least: 1, most: 200 }),
  }))
  const ids = offered.map(({ id }) => id)
  if (offered.length < 2 || offered.length > 4) throw invalid('Offer 2 to 4 options.')
  if (new Set(ids).size < ids.length) throw invalid('Each option needs its own id.')
  if (!ids.every((id) => optionId.test(id)))
    throw invalid(
      'An option’s id is 1 to 64 letters, digits, dots, hyphens or underscores, like `keep-both`.',
    )
  if (!ids.includes(recommendation))
    throw invalid(`recommendation must be the id of one of the options: ${ids.join(', ')}.`)
  return {
    about,
    question: agentText('question', question, { least: 1, most: 1_000 }),
    context: agentText('context', context, { least: 0, most: maxNoteLength }),
    options: offered,
    recommendation,
  }
}

const invalid = (message: string) => new DomainError('invalid_request', message)

const digestOf = (personId: string, { about, question, options, idempotencyKey }: Question): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        personId,
        about,
        ...(idempotencyKey ? ['key', idempotencyKey] : [question.trim(), options]),
      ]),
    )
    .digest('base64url')
