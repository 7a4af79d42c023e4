import { maxNoteLength } from '@signalbox/contract/limits.ts'
import type { Requirement } from '@signalbox/contract/requirement.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { plainLine } from '../../plain-text.ts'
import type { GitHost } from '../../ports/git-host.ts'
import type { Splitter } from '../../ports/splitter.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { readDecisionPage } from '../../work/decisions/read-page.ts'
import { answerQuestions } from '../../work/requirements/answer-questions.ts'
import { readRequirement } from '../../work/requirements/read.ts'
import { readRun } from '../../work/runs/read.ts'
import { followConversation } from './follow.ts'
import { type Asked, meaningOf, optionIn } from './parse-reply.ts'
import { insertReply, selectReplyBySource } from './store.ts'

interface Tools {
  splitter: Splitter
  gitHost: GitHost | null
}

interface Understood {
  response: string | null
  asks: Asked | null
}

/**
 * Handles what a person says about a requirement. It can answer the requirement's questions. What it asks for of a
 * decision or a run is recorded along with its effect, and done when the same person confirms it.
 */
export async function replyToRequirement(
  ctx: Context,
  tools: Tools,
  input: { slug: string; text: string; source?: string | null },
): Promise<{ id: string }> {
  const { actor } = ctx
  requireRole(ctx, 'member', 'reply to a requirement')
  if (actor.type !== 'human') throw new DomainError('insufficient_role', 'Only people reply to requirements.')
  const text = checkedText('text', input.text, { least: 1, most: maxNoteLength })
  const requirement = fromJson(await readRequirement(ctx, input.slug))
  const source = input.source ?? null
  const known = source && (await selectReplyBySource(ctx.db, ctx.workspaceId, input.slug, source))
  if (known) return { id: known }
  const { response, asks } = await understand(ctx, tools, requirement, text)
  return change(ctx, async (tx) => {
    const at = ctx.clock.now()
    const id = newId(at)
    const reply = { id, requirement: input.slug, personId: actor.userId, channel: ctx.channel, source }
    const isNew = await insertReply(tx, ctx.workspaceId, { ...reply, text, response, asks, at })
    if (!isNew)
      return {
        value: { id: (await selectReplyBySource(tx, ctx.workspaceId, input.slug, source!))! },
        audit: [],
      }
    await followConversation(ctx, tx, input.slug, id, 'said')
    return {
      value: { id },
      audit: {
        event: 'requirement_replied',
        team: requirement.team,
        entity: { type: 'requirement', id: input.slug },
        details: {
          note: text,
          asks: asks && {
            type: asks.type,
            key: asks.key,
            ...('optionId' in asks ? { optionId: asks.optionId } : {}),
          },
        },
      },
    }
  })
}

async function understand(
  ctx: Context,
  tools: Tools,
  requirement: Requirement,
  text: string,
): Promise<Understood> {
  const questions = requirement.status === 'clarifying' ? requirement.questions : []
  const meaning = meaningOf(text, questions)
  const only = (response: string | null): Understood => ({ response, asks: null })
  try {
    switch (meaning.type) {
      case 'answers':
        return only(
          afterAnswers(
            fromJson(await answerQuestions(ctx, tools.splitter, requirement.slug, meaning.answers)),
          ),
        )
      case 'decision':
        return await aboutDecision(ctx, tools, meaning)
      case 'run':
        return await aboutRun(ctx, meaning)
      case 'unclear':
        return only(
          `Which question is that an answer to? Begin with its number, such as “${numberOf(requirement, meaning.open[0]!.id)}: …”.`,
        )
      case 'remark':
        return only(null)
    }
  } catch (error) {
    if (error instanceof DomainError) return only(error.message)
    throw error
  }
}

const numberOf = ({ questions }: Requirement, id: string) =>
  questions.findIndex((question) => question.id === id) + 1

function afterAnswers({ status, questions, drafts }: Requirement): string {
  if (status !== 'clarifying')
    return `All questions are answered. Drafted ${drafts.length === 1 ? '1 story' : `${drafts.length} stories`}: ${drafts.join(', ')}.`
  const open = questions.flatMap(({ text, answer }, index) =>
    answer === null ? [`${index + 1}. ${plainLine(text)}`] : [],
  )
  return ['Saved. Still open:', ...open].join('\n')
}

async function aboutDecision(
  ctx: Context,
  { gitHost }: Tools,
  { key, words, note }: { key: string; words: string; note: string | null },
): Promise<Understood> {
  const { decision, consequences, forbidden } = await readDecisionPage(ctx, gitHost, key)
  if (decision.status !== 'pending') return { response: `${key} is ${decision.status}.`, asks: null }
  if (forbidden) return { response: forbidden, asks: null }
  const option = optionIn(words, decision.options)
  if (!option) {
    const options = decision.options.map(({ label }, index) => `${index + 1}. ${plainLine(label)}`)
    const example = `“${key} 1”, or “${key} 1: your note”`
    return {
      response: [
        `${key}: ${plainLine(decision.title)}`,
        ...options,
        `Reply with the number, such as ${example}.`,
      ].join('\n'),
      asks: null,
    }
  }
  const effect = consequences.find(({ optionId }) => optionId === option.id)?.sentence ?? ''
  const said = note ? ` Note: “${plainLine(note)}”.` : ''
  return {
    response:
      `Answer ${key} (${plainLine(decision.title)}) with “${plainLine(option.label)}”? ${effect}${said}`.trim(),
    asks: { type: 'answer', key, optionId: option.id, note },
  }
}

const over = ['failed', 'timed_out', 'stopped']

async function aboutRun(
  ctx: Context,
  { key, verb, note }: { key: string; verb: 'stop' | 'retry'; note: string | null },
): Promise<Understood> {
  const { status, story } = fromJson(await readRun(ctx, key))
  const words = status.replace('_', ' ')
  const about = `${key} (${story.key} ${plainLine(story.title, 120)})`
  const isOver = over.includes(status)
  if (verb === 'stop' && (isOver || status === 'succeeded'))
    return { response: `${key} has no current attempt: it is ${words}.`, asks: null }
  if (verb === 'retry' && !isOver)
    return {
      response: `${key} is ${words}. Only runs that failed, timed out or were stopped can be retried.`,
      asks: null,
    }
  const said = note ? ` Note: “${plainLine(note)}”.` : ''
  const response =
    verb === 'stop'
      ? `Stop ${about}? Its current attempt ends, and work it hasn’t pushed is lost. The story stays where it is.${said}`
      : `Retry ${about}? A new attempt is queued.${said}`
  return { response, asks: { type: verb, key, note } }
}
