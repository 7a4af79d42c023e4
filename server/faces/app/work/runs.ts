import type { reads, writes } from '@signalbox/contract/app/runs.ts'
import { retryRun } from '../../../domain/engine/lifecycle/retry.ts'
import { stopRun } from '../../../domain/engine/lifecycle/stop.ts'
import { giveBackWork } from '../../../domain/engine/local/give-back.ts'
import { readDiff } from '../../../domain/work/changes/read.ts'
import { traceCriteria } from '../../../domain/work/changes/trace-criteria.ts'
import { packEvidence } from '../../../domain/work/evidence/pack.ts'
import { filesRemovedAt } from '../../../domain/work/files/removed-at.ts'
import { listRunRows } from '../../../domain/work/runs/list-rows.ts'
import { readLogTail } from '../../../domain/work/runs/log/read.ts'
import { readRunPage } from '../../../domain/work/runs/page/read.ts'
import { readSteps } from '../../../domain/work/runs/page/read-steps.ts'
import { type Handlers, paged } from '../operation.ts'

const mostTailLines = 200

export const runsHandlers: Handlers<typeof reads & typeof writes> = {
  'runs.list': (ctx, input, tools) =>
    paged(ctx, tools, 'runs.list', input, (page) => {
      const { limit: _, cursor: __, ...filter } = input
      return listRunRows(ctx, filter, page)
    }),
  'runs.read': (ctx, { key }) => readRunPage(ctx, key),
  'runs.diff': async (ctx, { key, path, agent }) => {
    const diff = await readDiff(ctx, key, path, agent && (agent === 'first' ? 0 : 1))
    return { diff, removedAt: diff ? null : ((await filesRemovedAt(ctx, key))?.toISOString() ?? null) }
  },
  'runs.evidence': async (ctx, { key, repository }, { auditKey }, reply) => {
    const pack = await packEvidence(ctx, auditKey(), key, repository)
    reply.header('content-disposition', `attachment; filename="evidence_${key}.json"`)
    return pack
  },
  'runs.trace': async (ctx, { key }) => ({ criteria: await traceCriteria(ctx, key) }),
  'runs.steps': async (ctx, { key }) => ({ steps: await readSteps(ctx, key) }),
  'runs.logTail': async (ctx, { key, lines = 20 }) => {
    const tail = await readLogTail(ctx, key, Math.min(lines, mostTailLines))
    return {
      total: tail.total,
      lines: tail.lines.map((line) => ({ ...line, at: line.at.toISOString() })),
    }
  },
  // The app asks the person before it sends this.
  'runs.stop': async (ctx, { key, reason }) => {
    await stopRun(ctx, key, { confirmed: true, ...(reason === undefined ? {} : { reason }) })
    return {}
  },
  'runs.giveBack': async (ctx, { key, reason }) => {
    await giveBackWork(ctx, key, reason === undefined ? {} : { reason })
    return {}
  },
  'runs.retry': (ctx, { key, guidance }) => retryRun(ctx, key, guidance === undefined ? {} : { guidance }),
}
