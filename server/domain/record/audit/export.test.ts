import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aWorkspace } from '../../../test/factories.ts'
import type { Context } from '../../context.ts'
import { change } from './change.ts'
import { parseCsv } from './csv.ts'
import { type ExportFormat, exportAudit } from './export.ts'
import { exportDigest } from './export-digest.ts'
import { listAudit } from './list.ts'

const database = await testDatabase()
after(() => database.close())

async function fileOf(ctx: Context, filter: Parameters<typeof exportAudit>[1], format: ExportFormat) {
  const { content, ...rest } = await exportAudit(ctx, filter, format)
  let text = ''
  for await (const piece of content) text += piece
  return { ...rest, entries: format === 'csv' ? parseCsv(text) : (JSON.parse(text) as AuditEntry[]) }
}

async function write(ctx: Context, entries: number) {
  await change(ctx, async () => ({
    value: null,
    audit: Array.from({ length: entries }, (_, n) => ({
      event: 'workspace_changed' as const,
      entity: { type: 'workspace' as const, id: `w-${n}`, name: '=1+1' },
      details: { changes: [] },
    })),
  }))
}

test('exactly 5,000 matching entries are all exported, and nothing says that more matched', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  await write(owner, 5_000)
  const file = await fileOf(owner, { event: 'workspace_changed' }, 'json')
  assert.deepEqual([file.count, file.truncated, file.entries.length], [5_000, false, 5_000])
})

test('of 5,001 matching entries the newest 5,000 are exported, and the export says so', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  await write(owner, 5_001)
  for (const format of ['json', 'csv'] as const) {
    const file = await fileOf(owner, { event: 'workspace_changed' }, format)
    assert.deepEqual([file.count, file.truncated, file.entries.length], [5_000, true, 5_000])
    assert.equal(file.entries[0]?.entity.id, 'w-5000')
    assert.equal(file.entries.at(-1)?.entity.id, 'w-1')
  }
})

test('an export holds exactly the entries of a filtered read, in the same order, in both formats', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  await write(owner, 40)
  const { data } = await listAudit(owner, { event: 'workspace_changed' }, { limit: 100, after: null })
  const listed = data.map(fromJson)
  for (const format of ['json', 'csv'] as const) {
    assert.deepEqual((await fileOf(owner, { event: 'workspace_changed' }, format)).entries, listed)
  }
})

test('an export is recorded: who, when, format, range, count and digest; it never contains its own record', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  await write(owner, 3)
  const file = await fileOf(owner, { from: '2020-01-01' }, 'csv')
  const { data } = await listAudit(owner, { event: 'audit_exported' }, { limit: 5, after: null })
  const [record, ...others] = data.map(fromJson)
  assert.equal(others.length, 0)
  assert.equal(record?.actor.userId, owner.personId)
  assert.equal(record?.entity.id, file.id)
  assert.ok(!file.entries.some((entry) => entry.id === record?.id))
  const { format, from, to, count, digest } = record!.details
  assert.deepEqual([format, from, to, count], ['csv', '2020-01-01', null, file.count])
  assert.equal(digest, exportDigest(file.entries.map((entry) => entry.id)))
})

test('an export of nothing is an empty file, and is recorded', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const file = await fileOf(owner, { to: '2020-01-01' }, 'json')
  assert.deepEqual([file.count, file.truncated, file.entries], [0, false, []])
})

test('a member cannot export', async () => {
  const member = await aMember(await aWorkspace(database.db), 'member')
  await assert.rejects(exportAudit(member, {}, 'json'), { code: 'insufficient_role' })
})
