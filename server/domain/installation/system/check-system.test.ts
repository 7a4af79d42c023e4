import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSystem, worstOf } from './check-system.ts'
import type { Vitals } from './read-vitals.ts'

const at = new Date('2026-03-31T12:00:00Z')
const ago = (seconds: number) => new Date(at.getTime() - seconds * 1000)
const nothing = { waiting: 0, oldestSeconds: 0 }
const node: Vitals['nodes'][number] = {
  ...{ id: 'a', startedAt: ago(99), isServing: true, version: '1.0.0', migration: 7, host: 'one' },
  ...{ skewMs: 4, skewSeconds: 0.004, secretKeys: ['new'] },
}
const well: Vitals = {
  ...{ at, intake: nothing, unsealed: nothing, webhookQueue: nothing, hookQueue: nothing },
  ...{
    outbox: [],
    webhooks: [],
    connections: [],
    waitingRuns: [],
    stuckRuns: 0,
    orders: [],
    leaseAgeSeconds: 0,
    auditStream: null,
    auditArchive: null,
    anchors: [],
  },
  runners: [{ state: 'active', runners: 2, slots: 4 }],
  nodes: [node],
  database: {
    ...{ version: '15.4', mostConnections: 100, connections: 12, role: 'signalbox_app', login: 'owner' },
    ...{ now: at, isStandby: false, bytes: 1, replicas: [] },
  },
  migration: { number: 7, name: '0007_decisions.sql', appliedAt: ago(9) },
  readReplica: { isStandby: true, lagSeconds: 0.2, isLate: false },
  disk: { freeBytes: 50, sizeBytes: 100 },
  backups: { lastSuccessAt: ago(3600), failure: null, everySeconds: 86_400 },
  rotation: { fingerprint: 'new', previous: null, startedAt: null, finishedAt: null },
}
const both = { ...node, secretKeys: ['new', 'old'] }
const onlyOld = { ...node, host: 'two', secretKeys: ['old'] }
const beforeIt = { fingerprint: 'old', previous: null, startedAt: null, finishedAt: null }
const underWay = { fingerprint: 'new', previous: 'old', startedAt: ago(120), finishedAt: null }
const done = { ...underWay, previous: null, finishedAt: ago(60) }
const looking = { version: '1.0.0', migration: 7 }

const cases: [change: Partial<Vitals>, check: string, state: 'warning' | 'failed', says: RegExp][] = [
  [{ migration: { ...well.migration!, number: 6 } }, 'migrations', 'failed', /6 of 7/],
  [{ migration: { ...well.migration!, number: 8, name: '0008_x.sql' } }, 'migrations', 'failed', /0008_x/],
  [{ nodes: [] }, 'nodes', 'failed', /No node/],
  [{ nodes: [node, { ...node, version: '0.9.0' }] }, 'nodes', 'warning', /0\.9\.0, 1\.0\.0/],
  [{ nodes: [{ ...node, skewSeconds: -90 }] }, 'clock', 'warning', /one is 1 minute behind/],
  [{ database: { ...well.database, connections: 90 } }, 'database', 'warning', /90 of 100/],
  [{ database: { ...well.database, isStandby: true } }, 'database', 'failed', /standby/],
  [{ database: { ...well.database, role: 'owner' } }, 'audit_guard', 'warning', /acts as owner/],
  [
    { database: { ...well.database, replicas: [{ name: 'r1', lagSeconds: 7200, lagBytes: 1 }] } },
    ...(['replicas', 'warning', /r1 is 2 hours behind/] as const),
  ],
  [
    { database: { ...well.database, replicas: [{ name: 'r1', lagSeconds: null, lagBytes: null }] } },
    ...(['replicas', 'warning', /1 replica is connected\. How far behind can’t be seen/] as const),
  ],
  [{ readReplica: { error: 'refused' } }, 'read_replica', 'warning', /can’t be reached: refused/],
  [
    { readReplica: { isStandby: false, lagSeconds: null, isLate: true } },
    ...(['read_replica', 'warning', /doesn’t lead to a replica/] as const),
  ],
  [
    { readReplica: { isStandby: true, lagSeconds: 70, isLate: true } },
    ...(['read_replica', 'warning', /1 minute behind/] as const),
  ],
  [{ disk: { freeBytes: 9, sizeBytes: 100 } }, 'disk', 'warning', /9%/],
  [{ disk: { freeBytes: 4, sizeBytes: 100 } }, 'disk', 'failed', /4%/],
  [{ disk: null }, 'disk', 'warning', /cannot be read/],
  [{ backups: { ...well.backups, lastSuccessAt: null } }, 'backup', 'warning', /^No backup yet\.$/],
  [{ backups: { ...well.backups, lastSuccessAt: ago(200_000) } }, 'backup', 'failed', /2 days ago/],
  [
    { backups: { ...well.backups, lastSuccessAt: ago(200_000), everySeconds: null } },
    ...(['backup', 'failed', /2 days ago/] as const),
  ],
  [
    { backups: { ...well.backups, lastSuccessAt: ago(7_200), everySeconds: 3_600 } },
    ...(['backup', 'failed', /2 hours ago/] as const),
  ],
  [
    {
      backups: {
        ...well.backups,
        lastSuccessAt: ago(9),
        failure: { at, message: 'disk full', cause: 'schedule' },
      },
    },
    'backup',
    'failed',
    /disk full/,
  ],
  [{ rotation: beforeIt, nodes: [both, onlyOld] }, 'key_rotation', 'warning', /waits for two/],
  [{ rotation: beforeIt, nodes: [both] }, 'key_rotation', 'warning', /about to be rotated/],
  [{ rotation: underWay, nodes: [both] }, 'key_rotation', 'warning', /started 2 minutes ago/],
  [{ rotation: done, nodes: [both] }, 'key_rotation', 'warning', /rotated 1 minute ago.*no longer needed/],
  [{ intake: { waiting: 10_000, oldestSeconds: 61 } }, 'intake', 'failed', /10000 or more .* 1 minute/],
  [{ unsealed: { waiting: 3, oldestSeconds: 31 } }, 'sealing', 'warning', /3 entries are waiting/],
  [
    { outbox: [{ kind: 'send_mail', waiting: 4, failing: 1, oldestSeconds: 60 }] },
    ...(['outbox', 'warning', /send_mail \(4, 1 minute\)/] as const),
  ],
  [
    { auditArchive: { waiting: 2, oldest: '2026-01', oldestSeconds: 200_000 } },
    ...(['audit-archive', 'warning', /2 months wait to be archived, since 2026-01/] as const),
  ],
  [
    { anchors: [{ target: 'webhook', error: 'Status 500.', failingSeconds: 7200, sentAt: null }] },
    ...(['checkpoints', 'warning', /not been sent for 2 hours: webhook/] as const),
  ],
  [{ hookQueue: { waiting: 1, oldestSeconds: 400 } }, 'hooks', 'failed', /6 minutes/],
  [{ webhooks: [{ state: 'failing', endpoints: 2 }] }, 'webhooks', 'warning', /2 failing/],
  [
    { connections: [{ kind: 'github', state: 'failing', connections: 1 }] },
    ...(['connections', 'warning', /GitHub \(1\)/] as const),
  ],
  [{ runners: [{ state: 'offline', runners: 1, slots: 1 }] }, 'runners', 'warning', /1 offline/],
  [{ stuckRuns: 1 }, 'runs', 'warning', /1 run needs help/],
  [{ leaseAgeSeconds: 500 }, 'runs', 'failed', /silent for 8 minutes/],
]

test('an installation that is well is said to be, in every check', () => {
  const { checks } = checkSystem(well, looking)
  assert.deepEqual(
    checks.filter(({ state, remedy }) => state !== 'ok' || remedy !== null),
    [],
  )
  assert.equal(worstOf(checks), 'ok')
})

test('a backup is late by the schedule of this server, and what to check is named', () => {
  const found = (backups: Vitals['backups']) =>
    checkSystem({ ...well, backups }, looking).checks.find(({ name }) => name === 'backup')!
  const weekly = { lastSuccessAt: ago(6 * 86_400), failure: null, everySeconds: 7 * 86_400 }
  assert.equal(found(weekly).state, 'ok')
  assert.equal(found({ ...weekly, lastSuccessAt: ago(11 * 86_400) }).state, 'failed')
  const message = 'ENOSPC: no space left on device, write'
  const failing = { ...weekly, failure: { at, message, cause: 'schedule' as const } }
  for (const everySeconds of [86_400, null])
    assert.match(
      found({ ...failing, everySeconds }).remedy!,
      /^Check BACKUP_DIR .*the disk has room\. The server tries again/,
    )
  const typed = { ...failing, failure: { ...failing.failure, cause: 'operator' as const } }
  assert.match(found(typed).remedy!, /run the command again\.$/)
})

test('the first backup is waited for where BACKUP_DIR is set, and elsewhere it is said what to set', () => {
  const found = (everySeconds: number | null) =>
    checkSystem(
      { ...well, backups: { lastSuccessAt: null, failure: null, everySeconds } },
      looking,
    ).checks.find(({ name }) => name === 'backup')!
  assert.deepEqual([found(86_400).says, found(null).says], ['No backup yet.', 'No backup yet.'])
  assert.match(
    found(86_400).remedy!,
    /^The server makes the first one about a minute after its start\. If there is none then, check BACKUP_DIR: /,
  )
  assert.match(found(null).remedy!, /^Set BACKUP_DIR to have the server back itself up, /)
})

test('a node that was killed is mentioned, and is nothing to mend', () => {
  const vitals = { ...well, nodes: [node, { ...node, host: 'two', isServing: false }] }
  const { state, says } = checkSystem(vitals, looking).checks.find(({ name }) => name === 'nodes')!
  assert.deepEqual(
    [state, says],
    ['ok', '1 node is serving, with version 1.0.0. 1 node ended without signing off in the last hour.'],
  )
})

test('each thing that is not is said once, with a remedy, and comes first', () => {
  for (const [change, name, state, says] of cases) {
    const { checks } = checkSystem({ ...well, ...change }, looking)
    const [first, ...others] = checks
    assert.deepEqual([first!.name, first!.state], [name, state], JSON.stringify(change))
    assert.match(first!.says, says)
    assert.match(first!.remedy!, /\.$/)
    assert.equal(worstOf(others), 'ok', JSON.stringify(others))
    assert.equal(worstOf(checks), state)
  }
})
