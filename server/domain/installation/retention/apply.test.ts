import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '../../../infra/ids.ts'
import { auditEvents } from '../../../test/audit-events.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aRun, aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { readLogTail } from '../../work/runs/log/read.ts'
import { applyRetention } from './apply.ts'

const database = await testDatabase()
after(() => database.close())
const { db, pool } = database
const day = 86_400_000
const forEver = { run_logs: 0, run_log_lines: 0, deliveries: 0, alerts: 0, notifications: 0, exports: 0 }
const retention = {
  run_logs: 365,
  run_log_lines: 30,
  deliveries: 90,
  alerts: 400,
  notifications: 180,
  exports: 400,
}

test('what is older than it is kept for goes, with one entry for each kind, and nothing else does', async () => {
  const clock = new TestClock('2025-10-01T12:00:00.000Z')
  const workspace = await aWorkspace(db, clock)
  const { workspaceId } = workspace
  const owner = await aMember(workspace, 'owner')
  const team = await aTeam(owner)
  const run = await aRun(owner, team, await aStory(owner, team))
  const now = clock.now()
  const source = newId(now)
  await pool.query(
    `insert into sources (id, workspace_id, kind, name, token, secret, settings, created_at, updated_at)
     values ($1, $2, 'generic', 'A', 'a token that is long enough', null, '{}', $3, $3)`,
    [source, workspaceId, now],
  )
  const seed = async (at: Date, name: string) => {
    const id = newId(at)
    await pool.query(
      `insert into deliveries (id, workspace_id, source_id, received_at, alerts, test)
       values ($1, $2, $3, $4, '[]', false)`,
      [id, workspaceId, source, at],
    )
    for (const status of ['firing', 'resolved'])
      await pool.query(
        `insert into alerts (id, workspace_id, source_id, fingerprint, title, status, severity, labels, links,
           occurred_at, count, first_at, last_at)
         values ($1, $2, $3, $4, $4, $5, 'high', '{}', '[]', $6, 1, $6, $6)`,
        [newId(at), workspaceId, source, `${name} ${status}`, status, at],
      )
    await pool.query(
      `insert into notifications (id, workspace_id, person_id, kind, thing, what, title, body, in_app, created_at)
       values ($1, $2, $3, 'run', $4, 'failed', $4, '', true, $5)`,
      [newId(at), workspaceId, owner.personId, name, at],
    )
    await pool.query('insert into audit_exports (id, workspace_id, entries) values ($1, $2, $3)', [
      newId(at),
      workspaceId,
      [id],
    ])
  }
  await seed(now, 'old')
  await pool.query(
    `insert into run_log (workspace_id, run_id, position, attempt, at, text)
     select $1, $2, n, 1, $3, 'line ' || n from generate_series(1, 1000) as n`,
    [workspaceId, run.id, now],
  )
  await pool.query(
    `insert into run_log_ends (run_id, workspace_id, lines, bytes, fence, chunk, is_full)
     values ($2, $1, 1000, 9000, 0, 0, false)`,
    [workspaceId, run.id],
  )
  const apply = (kept = retention) => applyRetention({ db, clock, queue: owner.queue }, kept)
  const count = async (table: string) =>
    (await pool.query(`select count(*)::int as rows from ${table} where workspace_id = $1`, [workspaceId]))
      .rows[0].rows
  const counts = async () => [
    await count('run_log'),
    await count('deliveries'),
    await count('alerts'),
    await count('notifications'),
    await count('audit_exports'),
  ]
  const entries = async () =>
    (await auditEvents(db, workspaceId))
      .filter(({ event }) => event === 'retention_applied')
      .map(({ details }) => [details.kind, details.removed])

  clock.forward(31 * day)
  assert.equal(await apply(), 0, 'the run goes on')
  await pool.query(`update runs set phase = 'succeeded' where id = $1`, [run.id])
  assert.equal(await apply(forEver), 0)
  assert.equal(await apply(), 500)
  assert.equal(await apply(), 0, 'once')
  const { total, lines } = await readLogTail(owner, run.key, 1_000)
  assert.equal(total, 501)
  assert.deepEqual(
    lines.map(({ position }) => position),
    Array.from({ length: 501 }, (_, index) => index + 1),
  )
  assert.deepEqual(
    [99, 100, 101, 500].map((index) => lines[index]!.text),
    ['line 100', '[500 lines were removed because of their age]', 'line 601', 'line 1000'],
  )

  clock.forward(60 * day)
  await seed(clock.now(), 'new')
  assert.deepEqual(await counts(), [501, 2, 4, 2, 2])
  await apply()
  assert.deepEqual(await counts(), [501, 1, 4, 2, 2])
  clock.forward(90 * day)
  await apply()
  assert.deepEqual(await counts(), [501, 1, 4, 1, 2])
  clock.forward(220 * day)
  await apply()
  assert.deepEqual(await counts(), [1, 0, 3, 0, 1], 'an alert that still fires stays')
  assert.deepEqual(await entries(), [
    ['run_log_lines', 500],
    ['deliveries', 1],
    ['notifications', 1],
    ['run_logs', 501],
    ['deliveries', 1],
    ['alerts', 1],
    ['notifications', 1],
    ['exports', 1],
  ])
  await assert.rejects(pool.query('delete from audit_exports'), /permission denied|append-only/)
})
