import type { AnyOrder, Order } from '@signalbox/contract/runner/messages.ts'
import type { OrderSketch, RehearsalStep } from './scenario.ts'

const word = 'rehearse '
const commit = '1'.repeat(40)

/** A whole order around what a scenario says of it. */
export function sketched({ rehearsal, alsoHas }: OrderSketch, at: number): Order {
  return {
    run: `run-aaa${'123456789'[at]}`,
    fence: 1,
    attempt: 1,
    job: 'stage',
    stage: 'implementing',
    executor: 'scripted',
    team: 'checkout-web',
    story: {
      key: `WEB-${at + 1}`,
      title: 'A story for the conformance kit',
      size: null,
      complexity: null,
      description: `${word}${JSON.stringify(rehearsal)}`,
      acceptanceCriteria: [],
      demonstrate: null,
    },
    plan: null,
    guidance: [],
    exceptions: [],
    restoreSpec: false,
    policy: {
      version: 1,
      executor: 'scripted',
      maxConcurrency: 1,
      budgets: { runCents: 100, dayCents: null, monthCents: null },
      planApproval: 'never',
      mergePolicy: 'ask',
      deniedPaths: [],
      acceptanceRequired: false,
      reworkOnReview: false,
      isolation: 'none',
      gateFailureBudget: 1,
      autoMergeMaxLines: null,
      whenIssueLeaves: 'stop',
    },
    repository: { name: 'halden/checkout-web', address: 'file:///nowhere', branch: 'main' },
    base: commit,
    spec: null,
    work: null,
    toAdopt: null,
    merged: null,
    agentSession: null,
    budget: { eurMicros: 1_000_000, usdMicros: null },
    leaseSeconds: 60,
    ...alsoHas,
  }
}

export function rehearsalOf(order: AnyOrder): RehearsalStep[] {
  const description = order.job === 'survey' ? '' : order.story.description
  return description.startsWith(word) ? JSON.parse(description.slice(word.length)) : []
}
