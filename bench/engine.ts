import { setTimeout as sleep } from 'node:timers/promises'
import { portsFrom } from '../server/app/ports.ts'
import { asService } from '../server/domain/context.ts'
import { reportWork } from '../server/domain/engine/lifecycle/report.ts'
import type { WorkEvent, WorkOrder } from '../server/domain/ports/work.ts'
import { housekeeping } from '../server/domain/record/audit/change.ts'
import { performersFor } from '../server/faces/worker/performers.ts'
import { workerFace } from '../server/faces/worker/tasks.ts'
import { openDatabase } from '../server/infra/db/db.ts'
import type { Connection } from '../server/infra/db/embedded.ts'
import { Jobs } from '../server/infra/jobs/queue.ts'
import { createLog } from '../server/infra/log.ts'
import { createMetrics } from '../server/infra/metrics.ts'
import { secretsFrom } from '../server/infra/secrets.ts'
import { ScriptedGitHost } from '../server/integrations/git-hosts/scripted.ts'
import { ScriptedWork } from '../server/integrations/work/scripted.ts'
import { goesWell } from '../server/test/engine/engine.ts'
import { aPolicy, aTeam, aWorkspace } from '../server/test/factories.ts'
import { freshDatabase } from './database.ts'
import type { Figure } from './figures.ts'
import { connections } from './site.ts'

/** The engine at full speed: a team takes that many Ready stories at once, and every stage is over as soon as it is handed out. */
export async function engineFigures(cluster: Connection, sizes: number[]): Promise<Figure[]> {
  const connection = await freshDatabase(cluster, 'bench_engine')
  const database = openDatabase({ connection, connections, asAppRole: true, onError: () => {} })
  const { db, pool, close } = database
  const log = createLog({ level: 'warn' })
  const onError = (error: Error) => log.warn({ err: error }, 'the engine had trouble')
  const queue = new Jobs({ pool, onError })
  const workspace = { ...(await aWorkspace(db)), queue }
  const { clock, workspaceId } = workspace
  const ctx = asService(workspace, workspaceId)
  const work = new ScriptedWork({
    script: ({ stage }) => [spend, { seconds: 0, event: outcomes[stage] }],
    report: (order, report) => reportWork(ctx, order, report, {}),
    onError,
  })
  const ports = {
    ...portsFrom(
      {
        dataDir: '',
        splitter: null,
        mail: null,
        publicUrl: null,
        gitAllow: [],
        pushAllow: [],
        connectionAllow: [],
      },
      secretsFrom('a key for measuring that nobody else has'),
      null,
    ),
    work,
    gitHost: new ScriptedGitHost(),
  }
  const performers = performersFor(ports, { secrets: { decrypt: () => '' }, publicUrl: () => '' })
  const metrics = createMetrics(database)
  const rounds = { take: async () => 0 }
  const worker = workerFace({ db, clock, queue, work, performers, rounds, log, metrics })
  await worker.start()

  /** Seconds from the first run's start to the last one's end, and the steps they took, as their rows tell. */
  const play = async (runs: number, team: string) => {
    const { id } = await aTeam(workspace, team)
    await aPolicy(workspace, { slug: team }, 'autonomous', {
      maxConcurrency: runs,
      budgets: { runCents: 1_000, dayCents: null, monthCents: null },
    })
    await pool.query(fillReady, [workspaceId, id, runs])
    await pool.query('analyze stories')
    await housekeeping(db, 'begin', async (tx) => {
      await queue.send(tx, { task: 'team', workspaceId, id })
      queue.committed(tx)
    })
    for (;;) {
      await sleep(50)
      const { rows } = await pool.query(progress, [workspaceId, id])
      if (rows[0].done === runs) return rows[0] as { seconds: number; steps: number }
    }
  }
  // The first runs pay for what is compiled and planned once.
  await play(50, 'warm-up')
  const played: { runs: number; seconds: number; steps: number }[] = []
  for (const runs of sizes) played.push({ runs, ...(await play(runs, `of-${runs}`)) })
  await work.stop()
  await worker.stop()
  await close()

  const perRun = played.map(({ runs, seconds }) => (seconds / runs) * 1000)
  return played.map(({ runs, seconds, steps }, index) => {
    const ratio = perRun[index]! / perRun[0]!
    return {
      what: `${runs} scripted runs, from Ready to Done`,
      ours: `${Math.round(runs / seconds)} runs/s, ${Math.round(steps / seconds)} steps/s, ${perRun[index]!.toFixed(1)} ms a run`,
      ...(index > 0 && {
        peer: `the time of one of ${sizes[0]}: ${perRun[0]!.toFixed(1)} ms`,
        leftOut: 'nothing: the same engine',
        ...{ ratio, target: 'at most 1.3', met: ratio <= 1.3 },
      }),
    }
  })
}

const spend = { seconds: 0, event: { type: 'usage', amount: 0.01, currency: 'EUR' } } as const

const outcomes: Record<WorkOrder['stage'], WorkEvent> = {
  planning: goesWell.plan,
  implementing: goesWell.change,
  verifying: goesWell.gates,
  handing_off: goesWell.finish,
}

const fillReady = `
  insert into stories (id, workspace_id, team_id, key, title, description, column_id, readiness_score, created_at, updated_at)
  select gen_random_uuid(), t.workspace_id, t.id, t.key_prefix || '-' || n, 'A story with a title of some length',
    'What is wanted.', c.id, 100, now(), now()
  from generate_series(1, $3::int) as n
  join teams t on t.workspace_id = $1 and t.id = $2
  join columns c on c.workspace_id = t.workspace_id and c.team_id = t.id and c.role = 'ready'`

const progress = `
  select count(*) filter (where phase = 'succeeded')::int as done, sum(version)::int as steps,
    extract(epoch from (select max(a.completed_at) from attempts a join runs r on r.id = a.run_id
      where r.workspace_id = $1 and r.team_id = $2) - min(created_at))::float8 as seconds
  from runs
  where workspace_id = $1 and team_id = $2`
