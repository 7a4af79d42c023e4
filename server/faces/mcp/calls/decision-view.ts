import { Decision } from '@signalbox/contract/decision.ts'
import { nullable, type Of, timestamp } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import { readDecisionPage } from '../../../domain/work/decisions/read-page.ts'
import { appUrl } from './app-url.ts'
import { type Call, gives, nextStep, url } from './tool.ts'

/** What a person answered. */
export const Answer = Type.Object({
  optionId: Type.String(),
  label: Type.String(),
  note: nullable(Type.String()),
  by: nullable(Type.String()),
  via: nullable(Type.String()),
  at: nullable(timestamp),
})
export type Answer = Of<typeof Answer>

/** A decision as an agent reads it. */
export const DecisionView = gives({
  ...Decision.properties,
  consequences: Type.Array(Type.Object({ optionId: Type.String(), sentence: Type.String() })),
  forbidden: nullable(Type.String({ description: 'why you may not answer; null: you may' })),
  answer: nullable(Answer),
  pollAfterSeconds: nullable(Type.Integer({ description: 'null: there is nothing to wait for' })),
  url,
  nextStep,
})
export type DecisionView = Of<typeof DecisionView>

export const writtenByOthers = ['title', 'body', 'options.label', 'story.title', 'answer.note']

export async function viewDecision(call: Call, key: string): Promise<DecisionView> {
  const { ctx, services } = call
  const page = await readDecisionPage(ctx, services.gitHost, key)
  const { resolvedBy, incident: _, run: __, ...decision } = page.decision
  const { resolution, status } = decision
  const chosen = resolution && decision.options.find(({ id }) => id === resolution.optionId)
  const answer = resolution && {
    ...resolution,
    label: chosen?.label ?? resolution.optionId,
    by: resolvedBy,
    via: decision.resolvedVia,
    at: decision.resolvedAt,
  }
  const wait = status === 'pending' ? pollAfter(ctx.clock.now(), decision.createdAt) : null
  const { consequences, forbidden } = page
  return {
    ...decision,
    consequences,
    forbidden,
    answer,
    pollAfterSeconds: wait,
    url: await appUrl(call, 'decisions', key),
    nextStep: nextStepOf(key, status, wait),
  }
}

/** Waits for its answer, but no longer than that. */
export async function awaitDecision(call: Call, key: string, seconds: number): Promise<DecisionView> {
  const { ctx, services, gone } = call
  const beat = (waited: number) => call.progress(waited, seconds, `Waiting for an answer to ${key}`)
  return services.waits.until(
    ctx.workspaceId,
    /^decision_/,
    { seconds, gone, beat },
    () => viewDecision(call, key),
    ({ status }) => status !== 'pending',
  )
}

/** Soon while the person may still be at it, seldom once it has waited. */
function pollAfter(now: Date, createdAt: string): number {
  const minutes = (now.getTime() - Date.parse(createdAt)) / 60_000
  return minutes < 2 ? 15 : minutes < 15 ? 60 : 300
}

function nextStepOf(key: string, status: DecisionView['status'], wait: number | null): string {
  if (status === 'resolved') return 'Continue with the answer.'
  if (wait !== null)
    return `No one has answered yet. Do other work, then call get_decision with ${key} and waitSeconds 45, in about ${wait} seconds. Do not guess the answer and do not ask again. If nothing else is left to do, end your turn and give your user the url.`
  return `It is ${status}: no one can answer it any more. If you still need to know, ask again.`
}
