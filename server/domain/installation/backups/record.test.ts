import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { silentQueue } from '../../../infra/jobs/queue.ts'
import { auditEvents } from '../../../test/audit-events.ts'
import { TestClock } from '../../../test/clock.ts'
import { testDatabase } from '../../../test/database.ts'
import { aWorkspace } from '../../../test/factories.ts'
import type { CopiedBy } from './entries.ts'
import { lastBackup } from './last.ts'
import { recordBackup } from './record.ts'

const database = await testDatabase()
const { db } = database
after(() => database.close())
const clock = new TestClock('2026-03-01T12:00:00.000Z')
const services = { db, clock, queue: silentQueue }
const workspaces = [await aWorkspace(db, clock), await aWorkspace(db, clock)]
const entries = async () =>
  Promise.all(
    workspaces.map(async ({ workspaceId }) =>
      (await auditEvents(db, workspaceId)).filter(({ event }) => event === 'backup_created'),
    ),
  )

const scheduled: CopiedBy = {
  ...{ part: 'all', place: '/backups/one', encrypted: true, host: 'node-1', by: null },
}
const byOperator: CopiedBy = {
  ...{ part: 'database', place: null, encrypted: false, host: 'node-2' },
  by: { type: 'system', name: 'operator deploy' },
}
const made = { takenAt: clock.now(), bytes: 4_096, rows: 12 }

test('the log of every workspace says who took a copy of the database, when, to where, and how much', async () => {
  await recordBackup(services, scheduled, async () => made)
  for (const [entry, ...others] of await entries()) {
    assert.deepEqual(others, [])
    assert.deepEqual([entry!.actor.type, entry!.result], ['service', 'success'])
    const { backup, channel, ...said } = entry!.details
    assert.equal(backup, (await lastBackup(db)).good!.id)
    assert.equal(channel, 'schedule')
    assert.deepEqual(said, {
      ...{ cause: 'schedule', part: 'all', place: '/backups/one', encrypted: true, host: 'node-1' },
      ...{ takenAt: '2026-03-01T12:00:00.000Z', bytes: 4_096, rows: 12 },
    })
  }
  await recordBackup(services, { ...byOperator, part: 'secrets' }, async () => ({
    ...made,
    bytes: 0,
    rows: 0,
  }))
  const newest = (await entries())[0]!.at(-1)!
  assert.equal(newest.actor.name, 'operator deploy')
  assert.deepEqual([newest.details.part, newest.details.bytes], ['secrets', undefined])
  assert.equal((await lastBackup(db)).good!.place, '/backups/one', 'the secrets alone are no backup')
})

test('an attempt of an operator that fails has its entry, since some of it may be out; those of the schedule have none', async () => {
  const [before] = await entries()
  const fails = () => Promise.reject(new Error('No space left'))
  await assert.rejects(recordBackup(services, scheduled, fails), /No space left/)
  assert.equal((await lastBackup(db)).tried!.error, 'No space left')
  assert.equal((await entries())[0]!.length, before!.length)
  clock.forward(1_000)
  await assert.rejects(recordBackup(services, byOperator, fails), /No space left/)
  const [after] = await entries()
  assert.equal(after!.length, before!.length + 1)
  const { result, details } = after!.at(-1)!
  assert.deepEqual([result, details.reason], ['failure', 'No space left'])
})
