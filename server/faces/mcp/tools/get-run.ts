import { RepositoryPullRequest } from '@signalbox/contract/app/runs.ts'
import { runKey } from '@signalbox/contract/keys.ts'
import { Attempt, Evidence, Run, RunListed } from '@signalbox/contract/run.ts'
import { fromJson, nullable, oneOf, timestamp } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import { readLogTail } from '../../../domain/work/runs/log/read.ts'
import { readRun } from '../../../domain/work/runs/read.ts'
import { readPullRequests } from '../../../domain/work/runs/read-pull-requests.ts'
import { appUrl } from '../calls/app-url.ts'
import { type Call, gives, nextStep, optional, reads, takes, tool, url } from '../calls/tool.ts'

const parts = ['attempts', 'evidence', 'decisions', 'logTail'] as const
const tailLines = 50

export const getRun = tool({
  name: 'get_run',
  title: 'Read a run',
  description:
    'Reads one run: status (queued, running, waiting, succeeded, failed, timed_out, stopped), stage, cost and budget in euro cents, pull request; of a run in several repositories, pullRequests has all of them. include adds attempts (each with its error and verification), evidence (gates, criteria, changed files), decisions, or logTail (the last 50 lines that its agent and gates printed).',
  toolset: 'default',
  hints: reads,
  input: takes({
    run: runKey,
    include: optional(Type.Array(oneOf(parts), { maxItems: parts.length, description: 'What to add.' })),
  }),
  output: gives({
    ...RunListed.properties,
    pullRequests: optional(Type.Array(RepositoryPullRequest)),
    attemptList: optional(Type.Array(Attempt)),
    evidence: optional(nullable(Evidence)),
    decisions: optional(Run.properties.decisions),
    logTail: optional(
      Type.Object({
        total: Type.Integer(),
        lines: Type.Array(Type.Object({ at: timestamp, text: Type.String() })),
      }),
    ),
    url,
    nextStep,
  }),
  outside: ['story.title', 'attemptList.error', 'evidence', 'logTail.lines.text'],
  async call(call, { run, include = [] }) {
    const { attemptList, evidence, decisions, ...listed } = fromJson(await readRun(call.ctx, run))
    const pullRequests = await readPullRequests(call.ctx, run)
    const waiting = decisions.find(({ status }) => status === 'pending')
    return {
      ...listed,
      ...(pullRequests.length > 0 ? { pullRequests: [...pullRequests] } : {}),
      ...(include.includes('attempts') ? { attemptList } : {}),
      ...(include.includes('evidence') ? { evidence } : {}),
      ...(include.includes('decisions') ? { decisions } : {}),
      ...(include.includes('logTail') ? { logTail: await tailOf(call, run) } : {}),
      url: await appUrl(call, 'runs', run),
      nextStep: nextStepOf(listed.status, waiting?.key),
    }
  },
})

async function tailOf({ ctx }: Call, run: string) {
  const { total, lines } = await readLogTail(ctx, run, tailLines)
  return { total, lines: lines.map(({ at, text }) => ({ at: at.toISOString(), text: withoutSecrets(text) })) }
}

/** What agents print may hold a token of ours. */
const withoutSecrets = (line: string) => line.replaceAll(/\btk_[0-9A-Za-z]{32}\b/g, 'tk_…')

function nextStepOf(status: RunListed['status'], decision: string | undefined): string {
  if (decision)
    return `It needs an answer from a person. Call get_decision with ${decision} to see the question.`
  if (['failed', 'timed_out', 'stopped'].includes(status))
    return 'It has ended. Include attempts to see why; retry_run queues another attempt.'
  return status === 'succeeded' ? 'It is done.' : 'It is under way. Look again in a few minutes.'
}
