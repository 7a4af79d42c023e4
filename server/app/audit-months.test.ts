import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { change } from '../domain/record/audit/change.ts'
import { createPartitions } from '../domain/record/audit/create-partitions.ts'
import { exportAudit } from '../domain/record/audit/export.ts'
import { listAudit } from '../domain/record/audit/list.ts'
import { monthAfter } from '../domain/record/audit/month.ts'
import { verifyMonth } from '../domain/record/months/verify-month.ts'
import { noteRestored } from '../domain/record/seals/note-restored.ts'
import { readVerification } from '../domain/record/seals/read-verification.ts'
import { sealAll } from '../domain/record/seals/seal.ts'
import { verifyLog } from '../domain/record/seals/verify-log.ts'
import { createLog } from '../infra/log.ts'
import { secretsFrom } from '../infra/secrets.ts'
import { auditEvents } from '../test/audit-events.ts'
import { TestClock } from '../test/clock.ts'
import { testDatabase } from '../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../test/factories.ts'
import { archiveDueMonths, checkArchive, linesOfMonth } from './audit-months.ts'
import { readConfig } from './config.ts'
import type { Storage } from './storage.ts'

const database = await testDatabase()
const { db } = database
const owner = new pg.Pool({ ...database.connection, max: 2 })
const dir = await mkdtemp(path.join(tmpdir(), 'months-'))
after(async () => {
  await owner.end()
  await database.close()
  await rm(dir, { recursive: true })
})
const secrets = secretsFrom('a secret for tests')
const { signing } = secrets
const env = { RETENTION_AUDIT_MONTHS: '1', AUDIT_ARCHIVE_DIR: dir }
const siem = {
  AUDIT_STREAM: 'https://siem.example.com/hook',
  AUDIT_STREAM_SECRET: `whsec_${'hunter2a'.repeat(4)}`,
}

/** Months are cut when the database is made, from the one that was then. */
const month = new Date().toISOString().slice(0, 7)
const next = monthAfter(month, 1).toISOString().slice(0, 7)
const clock = new TestClock(monthAfter(month, 0).toISOString())
const day = 86_400_000
const turnTo = async (at: Date) => {
  clock.forward(at.getTime() - clock.now().getTime())
  await createPartitions(db, clock)
}
const storage = { ...database, direct: database.connection, secrets } as unknown as Storage
const archive = (more = {}) =>
  archiveDueMonths({
    config: readConfig({ ...env, ...more }),
    clock,
    log: createLog({ level: 'silent' }),
    storage,
  })
const seal = () => sealAll(db, signing, clock)
const verified = async (workspaceId: string) => {
  const { workspaces } = await verifyLog(db, signing.publicKey, { now: clock.now(), workspaceId })
  return workspaces[0]!
}

test('a month that is old enough goes to files that verify, and the log without it verifies too', async () => {
  const workspace = await aWorkspace(db, clock)
  const { workspaceId } = workspace
  const admin = await aMember(workspace, 'owner')
  const other = await aWorkspace(db, clock)
  for (let team = 0; team < 5; team += 1) await aTeam(admin)
  await change(admin, async (tx) => ({
    value: null,
    audit: {
      event: 'workspace_restored',
      entity: { type: 'workspace', id: workspaceId },
      details: {
        takenAt: clock.now().toISOString(),
        ...(await noteRestored(tx, signing, workspaceId, { takenAt: clock.now(), restoredAt: clock.now() })),
        withdrawn: 0,
      },
    },
  }))
  await seal()
  await turnTo(new Date(monthAfter(next, 0).getTime() + day))
  await aTeam(admin)
  await seal()
  // Committed late: in the tree, it is behind one of the month after it.
  clock.forward(-2 * day)
  await aTeam(admin)
  clock.forward(2 * day)
  const old = (await auditEvents(db, workspaceId)).filter(({ timestamp }) => timestamp.startsWith(month))

  assert.deepEqual(await archive(), [], 'its month has ended, and one more has to')
  await turnTo(monthAfter(next, 1))
  assert.deepEqual(await archive(), [], 'an entry is not sealed yet')
  await seal()
  assert.deepEqual(await archive(siem), [], 'it is not in the SIEM yet')
  assert.deepEqual((await verified(workspaceId)).findings, [])

  // A backup has the tables: no one waits for it, and what was written is used the next time.
  const backup = await owner.connect()
  await backup.query('begin; lock table audit_entries in access share mode')
  assert.deepEqual(await archive(), [])
  const files = (await readdir(dir)).toSorted()
  assert.deepEqual(
    files,
    [other.workspaceId, workspaceId].map((id) => `audit-${month}-${id}.jsonl.gz`).toSorted(),
  )
  const file = path.join(dir, `audit-${month}-${workspaceId}.jsonl.gz`)
  const { mtimeMs } = await stat(file)
  await backup.query('rollback')
  backup.release()
  assert.deepEqual(await archive(), [month])
  assert.equal((await stat(file)).mtimeMs, mtimeMs)
  assert.deepEqual(await archive(), [], 'once')

  const left = await auditEvents(db, workspaceId)
  assert.deepEqual(
    left.filter(({ timestamp }) => timestamp.startsWith(month)),
    [],
  )
  assert.deepEqual(
    left
      .filter(({ event }) => event === 'audit_month_archived')
      .map(({ details }) => [details.month, details.entries]),
    [[month, old.length]],
  )
  await seal()
  const report = await verified(workspaceId)
  assert.deepEqual(report.findings, [])
  assert.equal(report.entries, left.length)
  assert.match(report.notes.join('\n'), /Restored at/, 'what the entry in the file says is still known')
  assert.match(report.notes.join('\n'), new RegExp(`${month} was archived at .*: ${old.length} entries, in `))
  assert.equal(
    (await readVerification(admin, signing.publicKey)).archivedBefore,
    monthAfter(next, 0).toISOString(),
  )
  const reaching = await exportAudit(admin, {}, 'json')
  assert.deepEqual(reaching.archivedBefore, monthAfter(next, 0))
  assert.equal((await exportAudit(admin, { from: `${next}-01` }, 'json')).archivedBefore, null)
  const lastPage = await listAudit(admin, {}, { limit: 100, after: null })
  assert.deepEqual([lastPage.next, lastPage.archivedBefore], [null, monthAfter(next, 0)])
  const firstPage = await listAudit(admin, {}, { limit: 1, after: null })
  assert.equal(firstPage.archivedBefore, null, 'more entries follow')
  const recent = await listAudit(admin, { from: `${next}-01` }, { limit: 100, after: null })
  assert.equal(recent.archivedBefore, null, 'nothing older was asked for')

  const checked = await verifyMonth(linesOfMonth(file), signing.publicKey)
  assert.deepEqual(checked.findings, [])
  assert.deepEqual([checked.head!.entries, checked.archived!.month], [old.length, month])
  const text = gunzipSync(await readFile(file)).toString()
  assert.ok(old.every(({ id }) => text.includes(id)))
  // Names stay in the database, where they can be erased.
  const by = admin.actor as { name: string; userId: string }
  assert.ok(old.some(({ actor }) => actor.name === by.name))
  assert.match(text, /"personal:[\w-]{43}"/)
  assert.ok(!text.includes(by.name), 'a name is in the file')
  const altered: [name: string, text: string, says: RegExp][] = [
    [
      'an entry changed',
      text.replace('"result":"success"', '"result":"failure"'),
      /was changed: it is not what was sealed/,
    ],
    ['a line removed', text.split('\n').toSpliced(3, 1).join('\n'), /do not lead to the signed root/],
    ['cut off', text.slice(0, -30), /cannot be read|signed root/],
    [
      'an entry passed off as one of another month',
      text.replace(/^\{"position":(\d+),"hash":("[^"]+"),"entry".*$/m, (_, at, hash) =>
        JSON.stringify({ from: Number(at), to: Number(at) + 1, hash: JSON.parse(hash) }),
      ),
      new RegExp(`The file has ${old.length - 1} entries, and ${month} had ${old.length}`),
    ],
  ]
  for (const [name, changed, says] of altered) {
    const copy = path.join(dir, 'altered.jsonl')
    await writeFile(copy, changed)
    assert.match((await verifyMonth(linesOfMonth(copy), signing.publicKey)).findings.join('\n'), says, name)
  }
  assert.deepEqual(await checkArchive(dir, report.files), [])
  const [archived] = report.files
  const { publicKey } = secretsFrom('a newer secret').signing
  const rotated = { ...archived!, publicKeys: [publicKey, signing.publicKey] }
  assert.deepEqual(await checkArchive(dir, [rotated]), [], 'the key was replaced after it was archived')
  assert.match(
    (await checkArchive(dir, [{ ...archived!, note: 'another' }])).join(),
    /is not the file that was written/,
  )
  assert.match(
    (await checkArchive(tmpdir(), report.files)).join(),
    /The file of an archived month is missing/,
  )
  const stranger = secretsFrom('another secret').signing.publicKey
  assert.match(
    (await verifyMonth(linesOfMonth(file), stranger)).findings.join('\n'),
    /signature of the checkpoint/,
  )
})

test('without a note that is signed, what is missing is still reported, and the server cannot drop anything', async () => {
  const workspace = await aWorkspace(db, clock)
  const admin = await aMember(workspace, 'owner')
  const { workspaceId } = workspace
  await aTeam(admin)
  await seal()
  const now = clock.now().toISOString().slice(0, 7)
  await assert.rejects(database.pool.query('select drop_audit_month($1, 0)', [now]), { code: '42501' })
  const insert = `insert into audit_months (workspace_id, month, entries, file, note, archived_at)
    values ($1, $2, 1, 'a file', 'a note', now())`
  await assert.rejects(database.pool.query(insert, [workspaceId, now]), { code: '42501' })
  const found = async () => (await verified(workspaceId)).findings.join('\n')
  await owner.query(insert, [workspaceId, now])
  assert.match(await found(), /was archived, but that is not signed with the key/)
  await owner.query(
    `alter table only audit_entries_${now.replace('-', '_')} disable trigger append_only_rows`,
  )
  await owner.query('delete from audit_entries where workspace_id = $1', [workspaceId])
  assert.match(await found(), /was deleted: its seal is there, the entry is not/)
})
