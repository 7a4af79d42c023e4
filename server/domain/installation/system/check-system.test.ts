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
  },
  runners: [{ state: 'active', runners: 2, slots: 4 }],
  nodes: [node],
  database: {
    ...{ version: '15.4', mostConnections: 100, connections: 12, role: 'signalbox_app', login: 'owner' },
    ...{ now: at, isStandby: false, bytes: 1, replicas: [] },
  },
  migration: { number: 7, name: '0007_decisions.sql', appliedAt: ago(9) },
  disk: { freeBytes: 50, sizeBytes: 100 },
  backups: { lastSuccessAt: ago(3600), failure: null },
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
  [{ disk: { freeBytes: 9, sizeBytes: 100 } }, 'disk', 'warning', /9%/],
  [{ disk: { freeBytes: 4, sizeBytes: 100 } }, 'disk', 'failed', /4%/],
  [{ disk: null }, 'disk', 'warning', /cannot be read/],
  [{ backups: { lastSuccessAt: null, failure: null } }, 'backup', 'warning', /^No backup yet\.$/],
  [{ backups: { lastSuccessAt: ago(200_000), failure: null } }, 'backup', 'failed', /2 days ago/],
  [
    { backups: { lastSuccessAt: ago(9), failure: { at, message: 'disk full' } } },
    'backup',
    'failed',
    /disk full/,
  ],
  [{ rotation: beforeIt, nodes: [both, onlyOld] }, 'key_rotation', 'warning', /waits for two/],
  [{ rotation: beforeIt, nodes: [both] }, 'key_rotation', 'warning', /about to be rotated/],
  [{ rotation: underWay, nodes: [both] }, 'key_rotation', 'warning', /started 2 minutes ago/],
  [{ rotation: done, nodes: [both] }, 'key_rotation', 'warning', /rotated 1 minute ago.*no longer needed/],
  [{ intake: { waiting: 10_000, oldestSeconds: 61 } }, 'intake', 'failed', /10000 or more .* 1 minute/],
  [{ unsealed: { waiting: 3, oldestSeconds: 31 } }, 'sealing', 'warning', /3 entries wait/],
  [
    { outbox: [{ kind: 'send_mail', waiting: 4, failing: 1, oldestSeconds: 60 }] },
    ...(['outbox', 'warning', /send_mail \(4, 1 minute\)/] as const),
  ],
  [{ hookQueue: { waiting: 1, oldestSeconds: 400 } }, 'hooks', 'failed', /6 minutes/],
  [{ webhooks: [{ state: 'failing', endpoints: 2 }] }, 'webhooks', 'warning', /2 failing/],
  [
    { connections: [{ kind: 'github', state: 'failing', connections: 1 }] },
    ...(['connections', 'warning', /github \(1\)/] as const),
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
