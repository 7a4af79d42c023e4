import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '../../../infra/ids.ts'
import { secretsFrom } from '../../../infra/secrets.ts'
import { auditEvents } from '../../../test/audit-events.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aRun, aStory, aTeam, aToken, aWorkspace } from '../../../test/factories.ts'
import { sealAll } from '../../record/seals/seal.ts'
import { verifyLog } from '../../record/seals/verify-log.ts'
import { readLogTail } from '../../work/runs/log/read.ts'
import { applyRetention } from './apply.ts'

const database = await testDatabase()
after(() => database.close())
const { db, pool } = database
const day = 86_400_000
let sessions = 1_000
const forEver = {
  run_logs: 0,
  run_log_lines: 0,
  run_files: 0,
  finished_work: 0,
  deliveries: 0,
  alerts: 0,
  notifications: 0,
  exports: 0,
  checkpoints: 0,
  webhooks: 0,
  tool_deliveries: 0,
}
const retention = {
  run_logs: 365,
  run_log_lines: 30,
  run_files: 180,
  finished_work: 180,
  deliveries: 90,
  alerts: 400,
  notifications: 180,
  exports: 400,
  checkpoints: 30,
  webhooks: 30,
  tool_deliveries: 14,
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
    await pool.query(
      `insert into refusals (source_id, hour, reason, count, last_at)
       values ($1, date_trunc('hour', $2::timestamptz), $3, 1, $2)`,
      [source, at, name],
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
  const refusals = async () =>
    (await pool.query('select reason from refusals where source_id = $1 order by reason', [source])).rows.map(
      ({ reason }) => reason,
    )
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
  assert.deepEqual(await refusals(), ['new', 'old'])
  await apply()
  assert.deepEqual(await counts(), [501, 1, 4, 2, 2])
  assert.deepEqual(await refusals(), ['new'])
  clock.forward(90 * day)
  await apply()
  assert.deepEqual(await counts(), [501, 1, 4, 1, 2])
  clock.forward(220 * day)
  await apply()
  assert.deepEqual(await counts(), [1, 0, 3, 0, 1], 'an alert that still fires stays')
  assert.deepEqual(await entries(), [
    ['run_log_lines', 500],
    ['deliveries', 2],
    ['notifications', 1],
    ['run_logs', 501],
    ['deliveries', 2],
    ['alerts', 1],
    ['notifications', 1],
    ['exports', 1],
  ])
  await assert.rejects(pool.query('delete from audit_exports'), /permission denied|append-only/)
})

test('finished work goes when it is old, and what something open still refers to stays', async () => {
  const clock = new TestClock('2025-10-01T12:00:00.000Z')
  const workspace = await aWorkspace(db, clock)
  const { workspaceId } = workspace
  const owner = await aMember(workspace, 'owner')
  const team = await aTeam(owner)
  const [open, ended] = [
    await aRun(owner, team, await aStory(owner, team)),
    await aRun(owner, team, await aStory(owner, team)),
  ]
  const at = clock.now()
  const insert = (table: string, row: Record<string, unknown>) => {
    const all = Object.entries({ workspace_id: workspaceId, ...row })
    return pool.query(
      `insert into ${table} (${all.map(([name]) => name)}) values (${all.map((_, index) => `$${index + 1}`)})`,
      all.map(([, value]) => value),
    )
  }
  const service = newId(at)
  const incidents = { open: newId(at), resolved: newId(at) }
  const [place, connection] = [newId(at), newId(at)]
  await insert('services', {
    id: service,
    team_id: team.id,
    name: 'Shop',
    created_at: at,
    updated_at: at,
  })
  for (const [status, id] of Object.entries(incidents))
    await insert('incidents', {
      ...{
        id,
        service_id: service,
        team_id: team.id,
        key: `inc-${status.slice(0, 4)}`,
        title: 'Down',
        status,
      },
      ...{ severity: 'high', worst_alert: 'high', opened_at: at, resolved_at: status === 'open' ? null : at },
    })
  const effect = async (key: string, row: Record<string, unknown> = {}) => {
    const id = newId(at)
    await insert('effects', { id, kind: 'mail_member', key, data: '{}', created_at: at, done_at: at, ...row })
    return id
  }
  await effect('done')
  await effect('withdrawn', { done_at: null })
  await effect('due', { done_at: null, due_at: at })
  await effect('of an open run', { run_id: open.id })
  await effect('of an ended run', { run_id: ended.id })
  await effect('not written', { kind: 'write_story', done_at: null })
  for (const [status, incident] of Object.entries(incidents)) {
    const effectId = await effect(`of an incident, ${status}`, { data: JSON.stringify({ incident }) })
    await insert('tellings', {
      ...{
        id: newId(at),
        incident_id: incident,
        what: 'opened',
        person_id: owner.personId,
        effect_id: effectId,
      },
      ...{ state: 'sent', created_at: at, settled_at: at },
    })
  }
  await insert('connections', {
    id: connection,
    ...{ kind: 'slack', name: 'Slack', base_url: 'https://slack.com', method: 'bot' },
    ...{ hook_token_hash: Buffer.from(connection), created_at: at, updated_at: at, deleted_at: at },
  })
  const refusal = (scope: string, mended: Date | null) => {
    const row = { id: newId(at), connection_id: connection, scope, reason: 'forbidden', message: 'No.' }
    return insert('tool_refusals', { ...row, first_at: at, last_at: at, probe_at: at, mended_at: mended })
  }
  await refusal('mended', at)
  await refusal('not mended', null)
  await insert('places', {
    id: place,
    team_id: team.id,
    tool: 'slack',
    name: 'ops',
    address: 'C1',
    created_at: at,
  })
  for (const subject of ['inc-open', 'inc-reso', 'dec-gone'])
    await insert('chat_messages', {
      place_id: place,
      subject,
      message: subject,
      shown: Buffer.alloc(0),
      posted_at: at,
    })
  await pool.query(`update work_orders set state = 'ended', ended_at = $2 where workspace_id = $1`, [
    workspaceId,
    at,
  ])
  const { id: tokenId } = await aToken(owner)
  const runner = async (name: string, row: Record<string, unknown> = {}) => {
    const id = newId(at)
    await insert('runners', {
      ...{ id, name, instance: newId(at), version: '1', os: 'linux', arch: 'x64', slots: 1, free: 1 },
      ...{ labels: [], features: ['ephemeral'], executors: '[]', isolation: '{}', evidence_key: 'key' },
      ...{ token_id: tokenId, session: sessions++, boot: newId(at), state: 'removed', last_seen_at: at },
      ...{ made_at: at, left_at: at, ...row },
    })
    return id
  }
  const orderOf = (run: string, runnerId: string) =>
    pool.query('update work_orders set runner_id = $2 where run_id = $1', [run, runnerId])
  await runner('of no order')
  await orderOf(ended.id, await runner('of an order that goes'))
  await orderOf(open.id, await runner('of an order that stays'))
  await runner('not removed', { state: 'active' })
  await runner('a machine that was removed', { features: [] })
  await runner('a machine that was forgotten', { features: [], forgotten_at: at })
  await pool.query(`update runs set phase = 'stopped' where id = $1`, [ended.id])

  const column = async (text: string) =>
    (await pool.query({ text, values: [workspaceId], rowMode: 'array' })).rows.flat()
  const apply = () => applyRetention({ db, clock, queue: owner.queue }, { ...forEver, finished_work: 180 })
  clock.forward(180 * day)
  assert.equal(await apply(), 0, 'nothing is older than that yet')
  clock.forward(1)
  assert.equal(await apply(), 12)
  assert.equal(await apply(), 0, 'once')
  assert.deepEqual(await column('select name from runners where workspace_id = $1 order by id'), [
    ...['of an order that stays', 'not removed', 'a machine that was removed'],
  ])
  assert.deepEqual(await column('select key from effects where workspace_id = $1 order by id'), [
    ...['due', 'of an open run', 'not written', 'of an incident, open'],
  ])
  assert.deepEqual(await column('select incident_id from tellings where workspace_id = $1'), [incidents.open])
  assert.deepEqual(await column('select scope from tool_refusals where workspace_id = $1'), ['not mended'])
  assert.deepEqual(await column('select run_id from work_orders where workspace_id = $1'), [open.id])
  assert.deepEqual(await column('select subject from chat_messages where workspace_id = $1'), ['inc-open'])
  assert.deepEqual(
    (await auditEvents(db, workspaceId))
      .filter(({ event }) => event === 'retention_applied')
      .map(({ details }) => [details.kind, details.removed]),
    [['finished_work', 12]],
  )
})

test('of old checkpoints the last of each hour stays, and the log verifies with those that went', async () => {
  const clock = new TestClock('2025-10-01T12:10:00.000Z')
  const workspace = await aWorkspace(db, clock)
  const { workspaceId } = workspace
  const owner = await aMember(workspace, 'owner')
  const { signing } = secretsFrom('a secret for tests')
  const checkpoints = async () =>
    (
      await pool.query(
        'select size::int, note, sealed_at as at from audit_checkpoints where workspace_id = $1 order by size',
        [workspaceId],
      )
    ).rows as { size: number; note: string; at: Date }[]
  // At 12:10, 12:30, 12:50, 13:10 and 13:30.
  for (let seal = 0; seal < 5; seal += 1) {
    await aTeam(owner)
    await sealAll(db, signing, clock)
    clock.forward(20 * 60_000)
  }
  const before = await checkpoints()
  assert.equal(before.length, 5)
  const apply = () => applyRetention({ db, clock, queue: owner.queue }, { ...forEver, checkpoints: 30 })
  assert.equal(await apply(), 0, 'they are young')
  clock.forward(30 * day - 30 * 60_000)
  assert.equal(await apply(), 2, 'the hour that has passed whole')
  clock.forward(day)
  assert.equal(await apply(), 1)
  assert.equal(await apply(), 0, 'once')
  const left = (await checkpoints()).map(({ size }) => size)
  assert.deepEqual(left, [before[2]!.size, before[4]!.size])
  assert.deepEqual(
    (await auditEvents(db, workspaceId))
      .filter(({ event }) => event === 'retention_applied')
      .map(({ details }) => [details.kind, details.removed]),
    [
      ['checkpoints', 2],
      ['checkpoints', 1],
    ],
  )
  await sealAll(db, signing, clock)
  const findings = async () => {
    const known = before.map(({ note, at }) => ({ note, at }))
    const options = { now: clock.now(), workspaceId, knownCheckpoints: known }
    return (await verifyLog(db, signing.publicKey, options)).workspaces[0]!.findings
  }
  assert.deepEqual(await findings(), [], 'the leaves lead to the roots of those that went')
  // Whatever it is asked for, the last day and the last of each hour stay.
  const thin = async (moment: Date) =>
    (await pool.query('select thin_audit_checkpoints($1, $2, 99) as gone', [workspaceId, moment])).rows[0]
      .gone
  assert.equal(await thin(new Date('2100-01-01')), 0)
  await assert.rejects(pool.query('delete from audit_checkpoints'), /permission denied|append-only/)
})
