import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { Registry } from 'prom-client'
import { readVitals } from '../../domain/installation/system/read-vitals.ts'
import { newId } from '../../infra/ids.ts'
import { createMetrics } from '../../infra/metrics.ts'
import { superuserIn, testDatabase } from '../../test/database.ts'
import { addInstallationMetrics } from './installation-metrics.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const database = await testDatabase()
const superuser = new pg.Client(superuserIn(database.connection))
await superuser.connect()
// Rows are put there as they are left by trouble, without everything that they belong to.
await superuser.query('set session_replication_role = replica')
after(async () => {
  await superuser.end()
  await database.close()
})

const now = new Date('2026-03-31T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const [workspace, other] = [randomUUID(), randomUUID()]
const clock = { now: () => now }
const disk = async () => ({ freeBytes: 25, sizeBytes: 100 })
const read = () =>
  readVitals({
    db: database.db,
    clock,
    disk,
    databaseBytes: async () => 4096,
    readReplica: async () => null,
    streams: false,
    auditMonths: 12,
    backupEverySeconds: 86_400,
    anchors: ['timestamp', 'folder'],
  })

const put = (table: string, row: Record<string, unknown>) => {
  const names = Object.keys(row)
  const values = names.map((_, index) => `$${index + 1}`)
  return superuser.query(`insert into ${table} (${names}) values (${values})`, Object.values(row))
}

async function page(registry: Registry): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

test('an operator sees what waits, what fails and for how long, over all workspaces', async () => {
  for (const [workspace_id, seconds] of [
    [workspace, 30],
    [other, 95],
  ] as const)
    await put('intake', { workspace_id, source_id: randomUUID(), id: newId(ago(seconds)), deliveries: '[]' })
  await put('audit_unsealed', { workspace_id: workspace, entry_id: newId(ago(7)) })
  const effect = (kind: string, row: object) =>
    put('effects', {
      ...{ id: randomUUID(), workspace_id: workspace, kind, key: randomUUID(), data: '{}', attempts: 0 },
      ...{ created_at: ago(5000), ...row },
    })
  await effect('send_mail', { due_at: ago(20) })
  await effect('send_mail', { due_at: ago(-600), attempts: 4, last_error: 'no route' })
  await effect('post_message', { due_at: ago(-60) })
  await effect('post_message', { due_at: null, done_at: ago(10) })
  const endpoint = (row: object) =>
    put('webhook_endpoints', {
      ...{ id: randomUUID(), workspace_id: workspace, url: 'https://example.com', description: '' },
      ...{ event_types: ['run.finished'], secret: Buffer.from('x'), state: 'active' },
      ...{ created_at: ago(9000), updated_at: ago(9000), ...row },
    })
  const failing = randomUUID()
  await endpoint({ id: failing, failing_since: ago(400) })
  await endpoint({})
  await put('webhook_deliveries', {
    ...{ workspace_id: workspace, endpoint_id: failing, event_id: randomUUID(), type: 'run.finished' },
    ...{ occurred_at: ago(450), data: '{}', sequence: 1, state: 'pending', attempts: 3, step: 1 },
    due_at: ago(-30),
  })
  const connection = (row: object) =>
    put('connections', {
      ...{ id: randomUUID(), workspace_id: workspace, kind: 'github', name: 'x', method: 'token' },
      ...{ base_url: 'https://github.com', hook_token_hash: Buffer.from(randomUUID()), missing: [] },
      ...{ credentials: Buffer.from('x'), hook_token: Buffer.from('x'), webhook_secret: Buffer.from('x') },
      ...{ created_at: ago(9000), updated_at: ago(9000), last_success_at: ago(100), ...row },
    })
  await connection({})
  await connection({ last_refusal_at: ago(50), last_refusal: '401' })
  await connection({ kind: 'slack', base_url: 'https://slack.com', hooks_state: 'off' })
  const source = (id: string, row: object) =>
    put('sources', {
      ...{ id, workspace_id: workspace, kind: 'opsgenie', name: 'x', token: `${id} is long enough` },
      ...{ credentials: Buffer.from('x'), created_at: ago(9000), updated_at: ago(9000), ...row },
    })
  const refused = randomUUID()
  await source(refused, {})
  await source(randomUUID(), { kind: 'pagerduty' })
  await source(randomUUID(), { kind: 'pagerduty', credentials: null })
  await put('tool_refusals', {
    ...{ id: randomUUID(), workspace_id: workspace, source_id: refused, scope: '', reason: 'unauthorized' },
    ...{ message: 'No.', first_at: ago(50), last_at: ago(50), probe_at: ago(-10) },
  })
  const run = (row: object) =>
    put('runs', {
      ...{ id: randomUUID(), workspace_id: workspace, team_id: randomUUID(), attempts: 1, budget_cents: 1 },
      ...{
        key: `run-${randomUUID().slice(0, 4)}`,
        created_at: ago(99),
        phase: 'queued',
        version: 1,
        fence: 0,
      },
      ...{ wake_at: ago(9), memory: '{}', hidden: false, ...row },
    })
  await run({ reason: 'No runner is connected.', waits_for: 'runner' })
  await run({})
  const order = (row: object) =>
    put('work_orders', {
      ...{
        workspace_id: workspace,
        run_id: randomUUID(),
        fence: 1,
        attempt: 1,
        stage: 'build',
        job: 'stage',
      },
      ...{ labels: [], files: 0, file_bytes: 0, report_bytes: 0, offered_at: ago(700), ...row },
    })
  await order({ state: 'offered', lease_until: ago(0) })
  await order({ state: 'taken', holder: 'r', taken_at: ago(600), lease_until: ago(140) })
  const backup = (row: object) =>
    put('backups', { id: randomUUID(), cause: 'schedule', begun_at: ago(20), encrypted: false, ...row })
  await backup({ begun_at: ago(3610), taken_at: ago(3600), ended_at: ago(3590), bytes: 9, rows: 2 })
  await backup({ ended_at: ago(10), error: 'No space left' })
  await put('audit_anchors', {
    ...{ target: 'timestamp', tried_at: ago(60), sent_at: ago(100_000) },
    ...{ failing_since: ago(90_000), error: '503' },
  })
  await put('audit_anchors', { target: 'folder', tried_at: ago(60), sent_at: ago(60) })
  await put('audit_anchors', { target: 'email', tried_at: ago(9), sent_at: null, failing_since: ago(9) })
  await put('nodes', {
    id: randomUUID(),
    lease_until: new Date(Date.now() - 60_000),
    applied: 0,
    version: '0.0.9',
  })

  const registry = new Registry()
  addInstallationMetrics(registry, read)
  const lines = await page(registry)
  for (const line of [
    'signalbox_intake_waiting 2',
    'signalbox_intake_oldest_seconds 95',
    'signalbox_audit_unsealed 1',
    'signalbox_audit_unsealed_oldest_seconds 7',
    'signalbox_outbox_waiting{kind="send_mail"} 2',
    'signalbox_outbox_failing{kind="send_mail"} 1',
    'signalbox_outbox_oldest_seconds{kind="send_mail"} 5000',
    'signalbox_outbox_waiting{kind="post_message"} 1',
    'signalbox_outbox_oldest_seconds{kind="post_message"} 0',
    'signalbox_webhook_endpoints{state="failing"} 1',
    'signalbox_webhook_endpoints{state="active"} 1',
    'signalbox_webhook_messages_waiting 1',
    'signalbox_webhook_messages_oldest_seconds 450',
    'signalbox_connections{kind="github",state="failing"} 1',
    'signalbox_connections{kind="github",state="working"} 1',
    'signalbox_connections{kind="slack",state="failing"} 1',
    'signalbox_connections{kind="opsgenie",state="failing"} 1',
    'signalbox_connections{kind="pagerduty",state="working"} 1',
    'signalbox_runs_waiting{reason="runner"} 1',
    'signalbox_runs_waiting{reason="turn"} 1',
    'signalbox_orders{state="offered"} 1',
    'signalbox_orders_oldest_seconds{state="taken"} 700',
    'signalbox_order_lease_age_seconds 200',
    'signalbox_nodes{state="silent",version="0.0.9"} 1',
    'signalbox_backup_last_success_timestamp_seconds 1774954800',
    'signalbox_backup_last_failure_timestamp_seconds 1774958390',
    'signalbox_data_disk_free_bytes 25',
    'signalbox_database_size_bytes 4096',
    'signalbox_audit_checkpoints_failing_seconds{target="timestamp"} 90000',
    'signalbox_audit_checkpoints_last_success_timestamp_seconds{target="timestamp"} 1774858400',
    'signalbox_audit_checkpoints_failing_seconds{target="folder"} 0',
    'signalbox_audit_archive_waiting 0',
    'signalbox_audit_archive_oldest_seconds 0',
    'signalbox_installation_readable 1',
  ])
    assert.ok(lines.includes(line), `${line}\n${lines.join('\n')}`)
  assert.ok(!lines.some((line) => line.includes('target="email"')), 'checkpoints are not sent there any more')
})

test('what cannot be read is left out, and said to be', async () => {
  const registry = new Registry()
  addInstallationMetrics(registry, () => Promise.reject(new Error('The database does not answer.')))
  assert.deepEqual(await page(registry), ['signalbox_installation_readable 0'])
})

const rulesFile = path.join(root, 'deploy', 'prometheus', 'signalbox.rules.yaml')
const rules = readFileSync(rulesFile, 'utf8')
const dashboard = JSON.parse(readFileSync(path.join(root, 'deploy', 'grafana', 'signalbox.json'), 'utf8'))
const queries: string[] = dashboard.panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
  targets.map(({ expr }) => expr),
)

function reported(): string[] {
  const { registry } = createMetrics(database)
  addInstallationMetrics(registry, read)
  // Those of a primary with workers.
  const own = ['signalbox_workers', 'signalbox_workers_replaced_total']
  return [...registry.getMetricsAsArray().map(({ name }) => name), ...own]
}

test('every metric that a rule, the dashboard or a runbook names is reported, and the manual lists all of them', () => {
  const names = reported()
  const known = new Set(names.flatMap((name) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`]))
  const runbooks = readdirSync(path.join(root, 'docs/manual/runbooks')).map((file) =>
    readFileSync(path.join(root, 'docs/manual/runbooks', file), 'utf8'),
  )
  const named = [rules, ...queries, ...runbooks].join('\n').match(/\b(signalbox|process|nodejs)_[a-z_]+/g)!
  assert.ok(named.length > 60)
  assert.deepEqual(
    [...new Set(named)].filter((name) => !known.has(name)),
    [],
  )
  const manual = readFileSync(path.join(root, 'docs/manual/monitoring.md'), 'utf8')
  const ours = names.filter((name) => name.startsWith('signalbox_'))
  assert.deepEqual(
    ours.filter((name) => !manual.includes(`\`${name}\``)),
    [],
  )
})

test('every alert has its runbook, with the rule as it is, and a line in the manual', () => {
  const alerts = [...rules.matchAll(/alert: (\w+)\n\s+expr: '(.*)'\n/g)].map(([, name, expr]) => ({
    name: name!,
    expr: expr!.replaceAll("''", "'"),
  }))
  const pages = readdirSync(path.join(root, 'docs/manual/runbooks'))
  assert.deepEqual(pages.toSorted(), alerts.map(({ name }) => `${name}.md`).toSorted())
  const manual = readFileSync(path.join(root, 'docs/manual/monitoring.md'), 'utf8')
  for (const { name, expr } of alerts) {
    assert.ok(rules.includes(`runbook: docs/manual/runbooks/${name}.md`), name)
    assert.ok(
      readFileSync(path.join(root, 'docs/manual/runbooks', `${name}.md`), 'utf8').includes(expr),
      name,
    )
    assert.ok(manual.includes(`(runbooks/${name}.md)`), name)
  }
})

test('the summary of an alert names what it is about, where there can be several of it', () => {
  const alerts = rules.matchAll(/alert: (\w+)\n\s+expr: '(.*)'\n[\s\S]*?summary: '(.*)'\n/g)
  for (const [, name, expr, summary] of alerts) {
    // An aggregation says which labels are left; without one, there is an alert for each node.
    const left = /^(?:max|sum|count|time).*? by \(([^)]*)\)/.exec(expr!)?.[1] ?? 'job, instance'
    for (const label of left.split(', ').filter((one) => one !== 'job'))
      assert.ok(summary!.includes(`{{ $labels.${label} }}`), `${name}: ${label}`)
  }
})

const noPromtool =
  spawnSync('promtool', ['--version']).status === 0
    ? false
    : 'promtool is not installed (Debian: apt-get install prometheus)'

test('promtool accepts the rules, each fires on what it is for, and none on a healthy installation', {
  skip: noPromtool,
}, () => {
  execFileSync('promtool', ['check', 'rules', '--lint-fatal', rulesFile], { encoding: 'utf8', stdio: 'pipe' })
  const tests = path.join(path.dirname(rulesFile), 'signalbox.rules.test.yaml')
  execFileSync('promtool', ['test', 'rules', tests], { encoding: 'utf8', stdio: 'pipe' })
  const tested = readFileSync(tests, 'utf8')
  for (const [, name] of rules.matchAll(/alert: (\w+)/g))
    assert.equal(
      tested.match(new RegExp(`alertname: ${name}\\b`, 'g'))?.length,
      2,
      `${name} is not tested both ways`,
    )
})

test('promtool accepts every query of the dashboard', { skip: noPromtool }, () => {
  const asRules = queries.map((expr, index) => ({
    record: `panel:${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'signalbox'),
  }))
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'signalbox-dashboard-')), 'rules.yaml')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: asRules }] }))
  execFileSync('promtool', ['check', 'rules', file], { encoding: 'utf8', stdio: 'pipe' })
})
