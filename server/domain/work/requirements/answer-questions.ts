import { isDeepStrictEqual } from 'node:util'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import type { ClarifyingQuestion, Requirement } from '@signalbox/contract/requirement.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Splitter } from '../../ports/splitter.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { lockTeamById } from '../teams/lock.ts'
import { fileDrafts } from './file-drafts.ts'
import { followRequirement } from './follow.ts'
import { lockRequirement } from './lock.ts'
import { outcomeOf } from './outcome.ts'
import { readRequirement } from './read.ts'
import { type LockedRequirement, updateRequirement } from './store.ts'

export interface Answer {
  id: string
  answer: string
}

/**
 * Answers clarifying questions, all together or one by one. The last answer has the stories drafted. If that fails, the
 * answers are kept, and answering again, with nothing new to say, drafts again.
 */
export async function answerQuestions(
  ctx: Context,
  splitter: Splitter,
  slug: string,
  answers: Answer[],
): Promise<Json<Requirement>> {
  requireRole(ctx, 'member', 'answer questions about a requirement')
  const requirement = await keepAnswers(ctx, slug, answers)
  if (isAnswered(requirement.questions)) await draft(ctx, splitter, requirement)
  return readRequirement(ctx, slug)
}

const isAnswered = (questions: ClarifyingQuestion[]) => questions.every(({ answer }) => answer !== null)

/** Saves the answers before drafting, so that two people who answer at the same time lose nothing. */
async function keepAnswers(ctx: Context, slug: string, answers: Answer[]): Promise<LockedRequirement> {
  return change(ctx, async (tx) => {
    const requirement = await lockRequirement(ctx, tx, slug)
    if (requirement.status !== 'clarifying') {
      throw new DomainError(
        'conflict',
        `Requirement \`${slug}\` is ${requirement.status}: its questions are closed. Edit its drafts instead.`,
      )
    }
    const questions = withAnswers(requirement, answers)
    const changed = questions.filter((question, index) => question !== requirement.questions[index])
    if (changed.length === 0) return { value: requirement, audit: [] }
    await updateRequirement(tx, ctx.workspaceId, requirement.id, { questions }, ctx.clock.now())
    await followRequirement(ctx, tx, slug)
    return {
      value: { ...requirement, questions },
      audit: {
        event: 'requirement_answered',
        team: requirement.team.slug,
        entity: { type: 'requirement', id: slug },
        details: {
          changes: changed.map(({ id, answer }) => ({
            field: id,
            before: requirement.questions.find((question) => question.id === id)!.answer,
            after: answer,
          })),
        },
      },
    }
  })
}

function withAnswers({ slug, questions }: LockedRequirement, answers: Answer[]): ClarifyingQuestion[] {
  const given = new Map(answers.map(({ id, answer }) => [id, answer]))
  const ids = questions.map(({ id }) => id)
  const complaint = (text: string) => new DomainError('invalid_request', text)
  const stray = answers.find(({ id }) => !ids.includes(id))
  if (stray) {
    throw complaint(
      `Requirement \`${slug}\` has no question \`${stray.id}\`; its questions are ${ids.join(', ')}.`,
    )
  }
  if (given.size < answers.length) throw complaint('answers names a question twice. Answer each once.')
  if (given.size === 0 && !isAnswered(questions)) {
    throw complaint(`answers is empty. Answer at least one of ${ids.join(', ')}.`)
  }
  return questions.map((question) => {
    const text = given.get(question.id)
    if (text === undefined) return question
    const answer = checkedText(`The answer to ${question.id}`, text, { least: 1, most: maxNoteLength })
    return answer === question.answer ? question : { ...question, answer }
  })
}

async function draft(ctx: Context, splitter: Splitter, requirement: LockedRequirement): Promise<void> {
  const asked = {
    text: requirement.text,
    answers: requirement.questions.map(({ text, answer }) => ({ question: text, answer: answer! })),
  }
  const { drafts, notes } = outcomeOf(await splitter.split(asked, requirement.team), asked)
  await change(ctx, async (tx) => {
    // Its drafts take their numbers from the team. The team is always locked before the requirement.
    await lockTeamById(tx, ctx.workspaceId, requirement.team.id)
    const now = await lockRequirement(ctx, tx, requirement.slug)
    // Someone else has drafted since, or has changed an answer and drafts from that.
    if (now.status !== 'clarifying' || !isDeepStrictEqual(now.questions, requirement.questions)) {
      return { value: undefined, audit: [] }
    }
    const filed = await fileDrafts(ctx, tx, requirement, drafts, splitter.name)
    await updateRequirement(
      tx,
      ctx.workspaceId,
      requirement.id,
      { status: 'drafted', notes, splitter: splitter.name },
      ctx.clock.now(),
    )
    await followRequirement(ctx, tx, requirement.slug)
    return { value: undefined, audit: filed.audit }
  })
}
