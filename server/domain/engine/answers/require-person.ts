import type { DecisionOption } from '@signalbox/contract/decision.ts'
import type { PersonAnswer } from '@signalbox/contract/presence.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { currentPolicy } from '../../work/policies/current.ts'
import type { Answerable } from '../lifecycle/decision-store.ts'

const ofKind: Partial<Record<Answerable['kind'], PersonAnswer>> = {
  plan_approval: 'plan',
  merge_approval: 'merge',
  policy_exception: 'exception',
}

/** What an option lets through counts as well, whatever the decision is about. */
const ofAction: Partial<Record<DecisionOption['action'], PersonAnswer>> = {
  approve_plan: 'plan',
  merge: 'merge',
  allow_once: 'exception',
}

/** A token doesn't show that a person is there. Where the policy asks for one, the app or a click in chat does. */
export async function requirePerson(
  ctx: Context,
  { kind, team }: Pick<Answerable, 'kind' | 'team'>,
  { action }: Pick<DecisionOption, 'action'>,
): Promise<void> {
  const asked = [ofKind[kind], ofAction[action]].filter((each) => each !== undefined)
  const { presence } = ctx.origin ?? {}
  if (asked.length === 0 || (presence !== undefined && presence !== 'token')) return
  const policy = await currentPolicy(ctx.db, ctx.workspaceId, team.id)
  if (!asked.some((each) => policy?.personAnswers.includes(each))) return
  throw new DomainError(
    'person_required',
    'This team’s policy asks for a person here, and a token doesn’t show that one is there. Answer in the app or in chat.',
  )
}
