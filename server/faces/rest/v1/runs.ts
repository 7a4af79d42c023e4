import { runKey } from '@signalbox/contract/keys.ts'
import { pageOf } from '@signalbox/contract/page.ts'
import { Run, RunListed, RunQuery } from '@signalbox/contract/run.ts'
import { listRuns } from '../../../domain/work/runs/list.ts'
import { readRun } from '../../../domain/work/runs/read.ts'
import { get, list } from './route.ts'

const tag = 'Runs'

export const runRoutes = [
  list(
    {
      path: '/v1/runs',
      operation: 'listRuns',
      summary: 'List runs, newest first',
      tag,
      onReplica: true,
      permission: 'read',
      query: RunQuery,
      response: pageOf(RunListed),
    },
    (ctx, _, filter, page) => listRuns(ctx, filter, page),
  ),
  get(
    {
      path: '/v1/runs/:run',
      operation: 'readRun',
      summary: 'Read a run with its attempts, evidence and decisions',
      tag,
      permission: 'read',
      params: { run: { schema: runKey, noun: 'run' } },
      response: Run,
    },
    (ctx, params) => readRun(ctx, params.run!),
  ),
]
