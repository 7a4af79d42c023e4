import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import pg from 'pg'
import type { Clock } from '../../../infra/clock.ts'
import { openDatabase } from '../../../infra/db/db.ts'
import { newId, timeOfId } from '../../../infra/ids.ts'
import { silentQueue } from '../../../infra/jobs/queue.ts'
import { secretsFrom } from '../../../infra/secrets.ts'
import { superuserIn, testDatabase } from '../../../test/database.ts'
import { tables } from '../../../test/tables.ts'
import { asService, type Context } from '../../context.ts'
import { change } from '../audit/change.ts'
import { exportAudit } from '../audit/export.ts'
import { exportDigest } from '../audit/export-digest.ts'
import { noteRestored } from './note-restored.ts'
import { proveExport } from './prove.ts'
import { sealAll, sealWorkspace } from './seal.ts'
import { verifyExport } from './verify-export.ts'
import { verifyLog } from './verify-log.ts'

const { signing } = secretsFrom('a secret for tests')
const other = secretsFrom('another secret').signing
const database = await testDatabase()
const { db } = database
// The database owner can switch its triggers off, which is why there are signatures.
const owner = new pg.Pool({ ...database.connection, max: 2 })
let now = Date.now() - 30_000
const clock: Clock = { now: () => new Date(now) }

after(async () => {
  await database.close()
  await owner.end()
})

test('a sealed log verifies, and the report counts it', async () => {
  const workspaceId = await aSealedLog(5, 1, 300, 37)
  const report = await verifyLog(db, signing.publicKey, { now: clock.now(), workspaceId })
  assert.deepEqual(report, {
    workspaces: [{ workspaceId, entries: 343, checkpoints: 4, findings: [], notes: [], files: [] }],
  })
})

test('a log larger than one seal and one read is drained and verifies', async () => {
  const workspaceId = await aSealedLog(2_100, 10)
  const report = await verifyLog(db, signing.publicKey, { now: clock.now(), workspaceId })
  assert.deepEqual(report.workspaces, [
    { workspaceId, entries: 2_110, checkpoints: 3, findings: [], notes: [], files: [] },
  ])
  assert.equal(await count('audit_nodes', workspaceId), Math.floor(2_110 / 256))
  assert.equal(await count('audit_unsealed', workspaceId), 0)
})

test('without a workspace named, every log is verified', async () => {
  const [one, two] = [await aSealedLog(3), await aSealedLog(4)]
  const report = await verifyLog(db, signing.publicKey, { now: clock.now() })
  const found = report.workspaces.filter(({ workspaceId }) => workspaceId === one || workspaceId === two)
  assert.deepEqual(
    found.map(({ entries, findings }) => [entries, findings]),
    [
      [3, []],
      [4, []],
    ],
  )
})

test('two nodes that seal at once seal each entry exactly once', async () => {
  const workspaceId = await aWorkspace()
  const options = { connection: database.connection, connections: 4, asAppRole: true, onError: () => {} }
  const nodes = [openDatabase(options), openDatabase(options)]
  const sealing = (node: (typeof nodes)[number]) => sealWorkspace(node.db, signing, clock, workspaceId)
  let sealed = 0
  try {
    for (let written = 0; written < 2_400; written += 100) {
      const counts = await Promise.all([write(workspaceId, 100), ...nodes.map(sealing)])
      for (const found of counts) sealed += found ?? 0
    }
    for (const node of nodes) sealed += await sealing(node)
  } finally {
    await Promise.all(nodes.map((node) => node.close()))
  }
  assert.equal(sealed, 2_400)
  assert.equal(await count('audit_leaves', workspaceId), 2_400)
  assert.deepEqual(await findingsOf(workspaceId), [])
})

test('while another node holds the seal, this one skips', async () => {
  const workspaceId = await aWorkspace()
  await write(workspaceId, 2)
  await asOwner(async (client) => {
    await client.query('select pg_advisory_xact_lock(4403, hashtext($1))', [workspaceId])
    assert.equal(await sealWorkspace(db, signing, clock, workspaceId), 0)
  })
  assert.equal(await sealWorkspace(db, signing, clock, workspaceId), 2)
})

test('an entry that commits late is sealed late, and the log still verifies', async () => {
  const workspaceId = await aSealedLog(3)
  now -= 1_000
  await write(workspaceId, 2)
  now += 1_000
  await seal()
  assert.deepEqual(await findingsOf(workspaceId), [])
})

test('the server cannot rewrite the log, and its owner meets the triggers', async () => {
  const workspaceId = await aSealedLog(2)
  const tables = ['audit_entries', 'audit_leaves', 'audit_checkpoints']
  for (const table of tables) {
    const statements = [
      `update ${table} set workspace_id = workspace_id where workspace_id = $1`,
      `delete from ${table} where workspace_id = $1`,
    ]
    for (const statement of statements) {
      await assert.rejects(database.pool.query(statement, [workspaceId]), /permission denied/)
      await assert.rejects(owner.query(statement, [workspaceId]), /append-only/)
    }
    await assert.rejects(owner.query(`truncate ${table}`), /append-only/)
  }
  // The triggers are "always": the replication role, which skips ordinary ones, does not pass either.
  const superuser = new pg.Client(superuserIn(database.connection))
  await superuser.connect()
  await superuser.query("set session_replication_role = 'replica'")
  const deletion = superuser.query('delete from audit_entries where workspace_id = $1', [workspaceId])
  await assert.rejects(deletion, /append-only/)
  await superuser.end()
})

test('an entry whose content was changed is named', async () => {
  const workspaceId = await aSealedLog(5, 5)
  const victim = (await entriesOf(workspaceId))[6]!
  await tamper("update audit_entries set entry = replace(entry, 'success', 'failure') where id = $1", [
    victim.id,
  ])
  assert.deepEqual(await findingsOf(workspaceId), [
    `Entry ${victim.id} of ${victim.timestamp} at position 6 was changed after it was sealed: its content has another hash.`,
  ])
})

test('an entry changed together with its leaf is narrowed down to its seal, and the rest is confirmed', async () => {
  const workspaceId = await aSealedLog(5, 5, 5)
  const victim = (await entriesOf(workspaceId))[6]!
  await tamper(
    `with entry as (
       update audit_entries set entry = replace(entry, 'success', 'failure') where id = $1 returning id
     )
     update audit_leaves set hash = sha256('forged'::bytea) from entry where entry_id = entry.id`,
    [victim.id],
  )
  const findings = await findingsOf(workspaceId)
  assert.match(findings[0]!, new RegExp(`^Entry ${victim.id} .* was changed`))
  assert.match(findings[1]!, /^The leaves at positions 5 to 9 do not lead to the root signed for size 10/)
  assert.equal(findings.length, 2)
})

test('a text with a key in it twice is noticed, though it parses to what was sealed', async () => {
  const workspaceId = await aSealedLog(3)
  const victim = (await entriesOf(workspaceId))[1]!
  await tamper(`update audit_entries set entry = '{"result":"denied",' || substr(entry, 2) where id = $1`, [
    victim.id,
  ])
  const findings = await findingsOf(workspaceId)
  assert.equal(findings.length, 1)
  assert.match(findings[0]!, new RegExp(`^Entry ${victim.id} .* was rewritten after it was sealed`))
})

test('an entry hidden from a filter by its columns is named', async () => {
  const workspaceId = await aSealedLog(3)
  const victim = (await entriesOf(workspaceId))[1]!
  await tamper("update audit_entries set team = 'other', event = 'team_paused' where id = $1", [victim.id])
  assert.deepEqual(await findingsOf(workspaceId), [
    `Entry ${victim.id} of ${victim.timestamp} at position 1 is filed under team other, but its content says payments.`,
    `Entry ${victim.id} of ${victim.timestamp} at position 1 is filed under event team_paused, but its content says run_state_changed.`,
  ])
})

test('an entry moved to another workspace is named in both', async () => {
  const [from, to] = [await aSealedLog(3), await aSealedLog(2)]
  const victim = (await entriesOf(from))[1]!
  await tamper('update audit_entries set workspace_id = $2 where id = $1', [victim.id, to])
  assert.deepEqual(await findingsOf(from), [
    `Entry ${victim.id} of ${victim.timestamp} at position 1 was moved to workspace ${to}.`,
  ])
  assert.match((await findingsOf(to)).join(), new RegExp(`^Entry ${victim.id} .* was never sealed`))
})

test('an entry smuggled in with a leaf outside the tree is named', async () => {
  const workspaceId = await aSealedLog(3)
  const [model] = await entriesOf(workspaceId)
  const id = newId(clock.now())
  await owner.query(
    `insert into audit_entries (id, workspace_id, team, actor_type, event, run_key, entry)
     select $2::uuid, workspace_id, team, actor_type, event, run_key, replace(entry, id::text, $2::uuid::text)
     from audit_entries where id = $1`,
    [model!.id, id],
  )
  assert.match((await findingsOf(workspaceId)).join(), new RegExp(`^Entry ${id} .* was never sealed`))
  await asOwner(async (client) => {
    await client.query('alter table audit_leaves drop constraint audit_leaves_position_check')
    await client.query("insert into audit_leaves values ($1, -1, $2, sha256('x'))", [workspaceId, id])
    await client.query(
      'alter table audit_leaves add constraint audit_leaves_position_check check (position >= 0) not valid',
    )
  })
  assert.match((await findingsOf(workspaceId)).join(), new RegExp(`^Entry ${id} .* was never sealed`))
})

test('a deleted entry is named with its position and time', async () => {
  const workspaceId = await aSealedLog(4, 4)
  const victim = (await entriesOf(workspaceId))[5]!
  await tamper('delete from audit_entries where id = $1', [victim.id])
  assert.deepEqual(await findingsOf(workspaceId), [
    `Entry ${victim.id} of ${victim.timestamp} at position 5 was deleted: its seal is there, the entry is not.`,
  ])
})

test('an entry deleted together with its leaf leaves a gap, and what comes after is still confirmed', async () => {
  const workspaceId = await aSealedLog(4, 4, 4)
  const victim = (await entriesOf(workspaceId))[5]!
  await tamper('delete from audit_leaves where entry_id = $1', [victim.id])
  assert.deepEqual(await findingsOf(workspaceId), [
    'Position 5 has no leaf: what was sealed there was removed.',
    `Entry ${victim.id} of ${victim.timestamp} was never sealed, and does not wait to be: it was added, or its seal was removed.`,
  ])
  await tamper('delete from audit_entries where id = $1', [victim.id])
  assert.deepEqual(await findingsOf(workspaceId), [
    'Position 5 has no leaf: what was sealed there was removed.',
  ])
})

test('a gap under several checkpoints is one finding', async () => {
  const workspaceId = await aSealedLog(2, 2, 2, 2, 2)
  await tamper('delete from audit_leaves where workspace_id = $1 and position between 3 and 8', [workspaceId])
  const findings = await findingsOf(workspaceId)
  assert.equal(findings[0], 'Positions 3 to 8 have no leaf: what was sealed there was removed.')
  assert.equal(findings.length, 1 + 6)
})

test('a saved checkpoint inside a gap cannot be compared, and what comes after the gap still can', async () => {
  const workspaceId = await aSealedLog(2)
  const saved = await newestNote(workspaceId)
  for (const size of [2, 2]) {
    await write(workspaceId, size)
    await seal()
  }
  await tamper('delete from audit_checkpoints where workspace_id = $1 and size = 2', [workspaceId])
  await tamper('delete from audit_leaves where workspace_id = $1 and position between 1 and 3', [workspaceId])
  await exchangeLeaves(workspaceId, 4, 5)
  const findings = await findingsOf(workspaceId, [saved])
  assert.equal(
    findings[0],
    'The saved checkpoint of size 2 cannot be compared: the log before it is damaged.',
  )
  assert.equal(findings[1], 'Positions 1 to 3 have no leaf: what was sealed there was removed.')
  assert.match(findings[2]!, /^The leaves at positions 4 to 5 do not lead to the root signed for size 6/)
  assert.match(findings[3]!, /^Positions 4 and 5 are out of order/)
  assert.equal(findings.length, 4 + 3)
})

test('a leaf put far away is found without walking there', async () => {
  const workspaceId = await aSealedLog(5)
  await tamper('update audit_leaves set position = 1e12 where workspace_id = $1 and position = 4', [
    workspaceId,
  ])
  assert.deepEqual(await findingsOf(workspaceId), [
    'Positions 4 to 999999999999 have no leaf: what was sealed there was removed.',
    'No checkpoint covers positions 5 to 1000000000000: checkpoints were removed, or leaves were added.',
  ])
})

test('two leaves that were exchanged are named by their positions', async () => {
  const workspaceId = await aSealedLog(4, 8, 4)
  await exchangeLeaves(workspaceId, 5, 9)
  const findings = await findingsOf(workspaceId)
  const entries = await entriesOf(workspaceId)
  assert.equal(findings.length, 2)
  assert.match(findings[0]!, /^The leaves at positions 4 to 11 do not lead to the root signed for size 12/)
  assert.equal(
    findings[1],
    `Positions 5 and 9 are out of order: entry ${entries[9]!.id} of ${entries[9]!.timestamp} is before entry ${entries[5]!.id} of ${entries[5]!.timestamp}.`,
  )
})

test('leaves exchanged between two seals break the roots of both', async () => {
  const workspaceId = await aSealedLog(4, 4, 4)
  await exchangeLeaves(workspaceId, 1, 6)
  const findings = await findingsOf(workspaceId)
  assert.match(findings[0]!, /^The leaves at positions 0 to 3 /)
  assert.match(findings[1]!, /^Positions 1 and 2 are out of order/)
  assert.match(findings[2]!, /^The leaves at positions 4 to 7 /)
  assert.match(findings[3]!, /^Positions 5 and 6 are out of order/)
  assert.equal(findings.length, 4)
})

test('what a restore did not bring back is a known loss, what is missing afterwards is not, and only the key can say so', async () => {
  const workspaceId = await aSealedLog(4)
  const takenAt = clock.now()
  const backUp = await allOf(workspaceId)
  await write(workspaceId, 3)
  await seal()
  const lost = { note: await newestNote(workspaceId), at: clock.now() }
  await setBack(workspaceId, backUp)
  now += 1_000
  const restoredAt = clock.now()
  await restored(workspaceId, signing, { takenAt, restoredAt })
  const told = async (...knownCheckpoints: { note: string; at?: Date }[]) => {
    const { workspaces } = await verifyLog(db, signing.publicKey, {
      now: clock.now(),
      workspaceId,
      knownCheckpoints,
    })
    return { findings: workspaces[0]!.findings, notes: workspaces[0]!.notes }
  }
  const note = `Restored at ${restoredAt.toISOString()} from a backup of ${takenAt.toISOString()}, which had 4 entries. What was recorded between the two is lost`
  assert.deepEqual(await told(), { findings: [], notes: [`${note}.`] })
  assert.deepEqual(await told(lost), { findings: [], notes: [`${note}: at least 3 entries.`] })
  assert.equal((await told({ note: lost.note })).findings.length, 1, 'saved at an unknown time')

  now += 1_000
  const goesOn = await allOf(workspaceId)
  await write(workspaceId, 5)
  await seal()
  const later = { note: await newestNote(workspaceId), at: clock.now() }
  assert.deepEqual((await told(lost, later)).findings, [])
  await setBack(workspaceId, goesOn)
  assert.deepEqual((await told(lost, later)).findings, [
    'The log was cut short: the saved checkpoint of size 10 was signed for 10 entries, the log has 5.',
  ])
  now += 1_000
  await restored(workspaceId, other, { takenAt, restoredAt: clock.now() })
  const [unsigned, ...more] = (await told(lost, later)).findings
  assert.match(unsigned!, /says that the log was restored from a backup, but is not signed with the key/)
  assert.equal(more.length, 1)
})

test('a log cut short without a trace is caught by a checkpoint saved elsewhere', async () => {
  const workspaceId = await aSealedLog(4)
  const early = await newestNote(workspaceId)
  await write(workspaceId, 3)
  await seal()
  const late = await newestNote(workspaceId)
  assert.deepEqual(await findingsOf(workspaceId, [early, late]), [])

  await tamper('delete from audit_checkpoints where workspace_id = $1 and size > 4', [workspaceId])
  await tamper('delete from audit_leaves where workspace_id = $1 and position >= 4', [workspaceId])
  await tamper('delete from audit_entries where id = any($1)', [
    (await entriesOf(workspaceId)).slice(4).map(({ id }) => id),
  ])
  assert.deepEqual(await findingsOf(workspaceId), [])
  assert.deepEqual(await findingsOf(workspaceId, [late, early]), [
    'The log was cut short: the saved checkpoint of size 7 was signed for 7 entries, the log has 4.',
  ])
})

test('a tail cut off with its seals, but not its entries, is named entry by entry', async () => {
  const workspaceId = await aSealedLog(4, 2)
  const lost = (await entriesOf(workspaceId)).slice(4)
  await tamper('delete from audit_checkpoints where workspace_id = $1 and size > 4', [workspaceId])
  assert.deepEqual(await findingsOf(workspaceId), [
    'No checkpoint covers positions 4 to 5: checkpoints were removed, or leaves were added.',
  ])
  await tamper('delete from audit_leaves where workspace_id = $1 and position >= 4', [workspaceId])
  const findings = await findingsOf(workspaceId)
  assert.deepEqual(
    findings.map((finding) => finding.split(' ')[1]),
    lost.map(({ id }) => id),
  )
})

test('a log rewritten and signed with the stolen key is caught by a checkpoint saved elsewhere', async () => {
  const workspaceId = await aSealedLog(4, 2)
  const saved = await newestNote(workspaceId)
  await tamper(
    `update audit_entries set entry = replace(entry, 'success', 'failure') where workspace_id = $1`,
    [workspaceId],
  )
  await tamper('delete from audit_checkpoints where workspace_id = $1', [workspaceId])
  await tamper(
    `with gone as (delete from audit_leaves where workspace_id = $1 returning workspace_id, entry_id)
     insert into audit_unsealed (workspace_id, entry_id) select workspace_id, entry_id from gone`,
    [workspaceId],
  )
  await seal()
  assert.deepEqual(await findingsOf(workspaceId), [])
  assert.deepEqual(await findingsOf(workspaceId, [saved]), [
    'The log was rewritten: its first 6 entries are not those that the saved checkpoint of size 6 was signed for.',
  ])
})

test('a checkpoint of a workspace that is gone altogether is a finding', async () => {
  const workspaceId = await aSealedLog(2)
  const gone = newId(clock.now())
  const saved = (await newestNote(workspaceId)).replaceAll(workspaceId, gone)
  const report = await verifyLog(db, signing.publicKey, {
    now: clock.now(),
    knownCheckpoints: [{ note: saved }],
  })
  const found = report.workspaces.find((workspace) => workspace.workspaceId === gone)!
  assert.match(found.findings.join(), /saved checkpoint of size 2 is not from this log/)
  await assert.rejects(findingsOf(workspaceId, ['no checkpoint\n\n— x y\n']), /not a checkpoint/)
})

test('a removed checkpoint is noticed when it was saved elsewhere', async () => {
  const workspaceId = await aSealedLog(3)
  const saved = await newestNote(workspaceId)
  await write(workspaceId, 3)
  await seal()
  await tamper('delete from audit_checkpoints where workspace_id = $1 and size = 3', [workspaceId])
  assert.deepEqual(await findingsOf(workspaceId), [])
  assert.deepEqual(await findingsOf(workspaceId, [saved]), [
    'The checkpoint of size 3, saved earlier, was removed from the log.',
  ])
})

test('a checkpoint that another key signed, or whose columns were changed, is not trusted', async () => {
  const workspaceId = await aSealedLog(3, 3)
  const report = await verifyLog(db, other.publicKey, { now: clock.now(), workspaceId })
  assert.deepEqual(report.workspaces[0]!.findings, [
    'The checkpoint of size 3 cannot be trusted: The note is not signed with this key.',
    'The checkpoint of size 6 cannot be trusted: The note is not signed with this key.',
  ])
  await tamper("update audit_checkpoints set root = sha256('x') where workspace_id = $1 and size = 3", [
    workspaceId,
  ])
  assert.deepEqual(await findingsOf(workspaceId), [
    'The checkpoint of size 3 was changed: its columns and its signed note differ.',
  ])
})

test('on a doctored frontier nothing more is sealed, and other logs are not held up', async () => {
  const workspaceId = await aSealedLog(3)
  await tamper("update audit_checkpoints set frontier = sha256('x') || sha256('y') where workspace_id = $1", [
    workspaceId,
  ])
  assert.deepEqual(await findingsOf(workspaceId), [
    'The frontier stored with the checkpoint of size 3 does not lead to its signed root.',
  ])
  const healthy = await aWorkspace()
  await write(workspaceId, 1)
  await write(healthy, 1)
  await assert.rejects(
    seal(),
    /is not sealed further: its newest checkpoint \(size 3\) is not what was signed/,
  )
  assert.equal(await count('audit_leaves', healthy), 1)
  await owner.query('delete from audit_unsealed where workspace_id = $1', [workspaceId])
})

test('a wrong or missing subtree hash is named', async () => {
  const workspaceId = await aSealedLog(600)
  await tamper("update audit_nodes set hash = sha256('x') where workspace_id = $1 and position = 1", [
    workspaceId,
  ])
  await tamper('delete from audit_nodes where workspace_id = $1 and position = 0', [workspaceId])
  assert.deepEqual(await findingsOf(workspaceId), [
    'The stored hash of positions 0 to 255 is missing: proofs that need it fail.',
    'The stored hash of positions 256 to 511 is wrong: proofs that need it fail.',
  ])
})

test('an entry that waits is fine for a minute, and a finding after it, unless no server runs', async () => {
  const workspaceId = await aSealedLog(1)
  await write(workspaceId, 1)
  const waiting = (await entriesOf(workspaceId))[1]!
  assert.deepEqual(await findingsOf(workspaceId), [])
  const later = new Date(timeOfId(waiting.id).getTime() + 61_000)
  const told = async () => {
    const { workspaces } = await verifyLog(db, signing.publicKey, { now: later, workspaceId })
    return { findings: workspaces[0]!.findings, notes: workspaces[0]!.notes }
  }
  const resting = ['1 entry is waiting to be sealed. The server does that while it runs.']
  assert.deepEqual(await told(), { findings: [], notes: resting })
  const lease = `insert into nodes (id, lease_until, applied) values ($1, now() + interval '1 hour', 0)`
  await owner.query(lease, [newId(clock.now())])
  const first = `${waiting.id} of ${waiting.timestamp}`
  const one = `Entry ${first} has been waiting to be sealed for more than 60 seconds.`
  assert.deepEqual(await told(), { findings: [one], notes: [] })
  await write(workspaceId, 2)
  const several = `3 entries have been waiting to be sealed for more than 60 seconds, the first of them ${first}.`
  assert.deepEqual(await told(), { findings: [several], notes: [] })
  await owner.query('delete from nodes')
  await seal()
})

test('an entry put in or taken out around the seal is named, and holds up no one', async () => {
  const workspaceId = await aSealedLog(1)
  const sealed = (await entriesOf(workspaceId))[0]!
  await write(workspaceId, 2)
  const [, gone, stays] = await entriesOf(workspaceId)
  await tamper('delete from audit_entries where id = $1', [gone!.id])
  await owner.query('insert into audit_unsealed (workspace_id, entry_id) values ($1, $2)', [
    workspaceId,
    sealed.id,
  ])
  assert.equal(await seal(), 1)
  assert.deepEqual(await findingsOf(workspaceId), [
    `Entry ${sealed.id} of ${sealed.timestamp} is waiting to be sealed, but is sealed already.`,
    `Entry ${gone!.id} of ${gone!.timestamp} was deleted before it was sealed.`,
  ])
  assert.ok(stays)
  await owner.query('delete from audit_unsealed where workspace_id = $1', [workspaceId])
})

test('rows that can never be sealed do not hold up those behind them', async () => {
  const workspaceId = await aWorkspace()
  await owner.query(
    `insert into audit_unsealed (workspace_id, entry_id)
     select $1, lpad(to_hex(number), 32, '0')::uuid from generate_series(1, 2100) as number`,
    [workspaceId],
  )
  await write(workspaceId, 2)
  assert.equal(await seal(), 2)
  await owner.query('delete from audit_unsealed where workspace_id = $1', [workspaceId])
})

test('an export is proven from few rows and verifies offline, at every size of the log', async () => {
  // The records of the four exports make the third and the fourth log a complete tree.
  for (const batches of [[1], [2, 1], [251, 1], [252], [300, 900], [1_100, 77]]) {
    const workspaceId = await aSealedLog(...batches)
    const entries = await entriesOf(workspaceId)
    const choices = [entries.slice(-3), entries.filter((_, index) => index % 97 === 0), entries, []]
    const files = choices.map((chosen) => chosen.toReversed())
    const ids: string[] = []
    for (const file of files) ids.push(await anExport(workspaceId, file))
    await seal()
    for (const [index, file] of files.entries()) {
      const proof = await proveExport(db, signing.publicKey, workspaceId, ids[index]!)
      assert.ok(proof?.sealed)
      assert.deepEqual(verifyExport(file, JSON.parse(JSON.stringify(proof.bundle)), signing.publicKey), [])
    }
  }
})

test('an export records what its file holds, and is proven by it; also one that holds nothing', async () => {
  const workspaceId = await aSealedLog(7)
  for (const [filter, expected] of [
    [{}, 7],
    [{ event: 'team_deleted' }, 0],
    [{ event: 'audit_exported' }, 2],
  ] as const) {
    const { id, content } = await exportAudit(contextOf(workspaceId), filter, 'json')
    const file: AuditEntry[] = JSON.parse((await Array.fromAsync(content)).join(''))
    assert.equal(file.length, expected)
    const [record] = (await entriesOf(workspaceId)).slice(-1)
    assert.equal(record!.details.count, expected)
    // Written out here: others who check a proof rely on this form.
    const digest = createHash('sha256')
    for (const entry of file) digest.update(entry.id).update('\n')
    assert.equal(record!.details.digest, digest.digest('base64'))

    assert.deepEqual(await proveExport(db, signing.publicKey, workspaceId, id), {
      sealed: false,
      waiting: [record!.id],
    })
    await seal()
    const proof = await proveExport(db, signing.publicKey, workspaceId, id)
    assert.ok(proof?.sealed)
    assert.deepEqual(proof.bundle.record.entry, record)
    assert.deepEqual(verifyExport(file, proof.bundle, signing.publicKey), [])
  }
})

test('the record is found among those of other exports, also when the clock was set back in between', async () => {
  const workspaceId = await aSealedLog(3)
  const [entry] = await entriesOf(workspaceId)
  const before = await anExport(workspaceId, [])
  const during = await anExport(workspaceId, [entry!], -60_000)
  const after = await anExport(workspaceId, [])
  await seal()
  for (const [exportId, listed] of [
    [before, 0],
    [during, 1],
    [after, 0],
  ] as const) {
    const proof = await proveExport(db, signing.publicKey, workspaceId, exportId)
    assert.ok(proof?.sealed)
    assert.equal(proof.bundle.record.entry.entity.id, exportId)
    assert.equal(proof.bundle.entries.length, listed)
  }
})

test('an export whose list was shortened in the database proves nothing', async () => {
  const workspaceId = await aSealedLog(5)
  const file = (await entriesOf(workspaceId)).toReversed()
  const exportId = await anExport(workspaceId, file)
  await seal()
  await tamper('update audit_exports set entries = entries[2:] where id = $1', [exportId])
  const proof = await proveExport(db, signing.publicKey, workspaceId, exportId)
  assert.ok(proof?.sealed)
  assert.deepEqual(verifyExport(file.slice(1), proof.bundle, signing.publicKey), [
    'The proof lists 4 entries but the export recorded 5: entries were left out.',
  ])
})

test('an export whose record is gone proves nothing, and says so', async () => {
  const workspaceId = await aSealedLog(2)
  const exportId = await anExport(workspaceId, [])
  await seal()
  const record = (await entriesOf(workspaceId)).at(-1)!
  await tamper('delete from audit_entries where id = $1', [record.id])
  await assert.rejects(
    proveExport(db, signing.publicKey, workspaceId, exportId),
    new RegExp(`damaged: the record of export ${exportId} is missing`),
  )
})

test('a proof made again after the log has grown is the same proof', async () => {
  const workspaceId = await aSealedLog(20)
  const exportId = await anExport(workspaceId, (await entriesOf(workspaceId)).slice(3, 6))
  await seal()
  const early = await proveExport(db, signing.publicKey, workspaceId, exportId)
  assert.ok(early?.sealed)
  await write(workspaceId, 20)
  await seal()
  assert.deepEqual(await proveExport(db, signing.publicKey, workspaceId, exportId), early)
})

test('an export with entries that are not sealed yet has to wait, and an unknown one is unknown', async () => {
  const workspaceId = await aSealedLog(2)
  await write(workspaceId, 1)
  const entries = await entriesOf(workspaceId)
  const exportId = await anExport(workspaceId, entries)
  const record = (await entriesOf(workspaceId)).at(-1)!
  assert.deepEqual(await proveExport(db, signing.publicKey, workspaceId, exportId), {
    sealed: false,
    waiting: [entries[2]!.id, record.id],
  })
  assert.equal(await proveExport(db, signing.publicKey, workspaceId, newId(clock.now())), null)
  assert.equal(await proveExport(db, signing.publicKey, await aWorkspace(), exportId), null)
  await seal()
})

test('a log with rows missing proves nothing, and says so', async () => {
  const workspaceId = await aSealedLog(20)
  const exportId = await anExport(workspaceId, (await entriesOf(workspaceId)).slice(0, 1))
  await seal()
  await tamper('delete from audit_leaves where workspace_id = $1 and position = 17', [workspaceId])
  await assert.rejects(
    proveExport(db, signing.publicKey, workspaceId, exportId),
    /damaged: hashes are missing between positions 16 and 20/,
  )
})

async function aWorkspace(): Promise<string> {
  const id = newId(clock.now())
  await owner.query(
    'insert into workspaces (id, slug, name, key_secret, created_at) values ($1, $2, $2, $3, now())',
    [id, `w-${id}`, randomBytes(16)],
  )
  return id
}

/** A workspace whose log was written and sealed in batches of these sizes. */
async function aSealedLog(...batches: number[]): Promise<string> {
  const workspaceId = await aWorkspace()
  for (const size of batches) {
    await write(workspaceId, size)
    await seal()
  }
  return workspaceId
}

/** Writes entries that are a tenth of a millisecond apart, in one transaction. */
async function write(workspaceId: string, entries: number): Promise<void> {
  await change(contextOf(workspaceId), async () => ({
    value: null,
    audit: Array.from({ length: entries }, (_, index) => ({
      event: 'run_state_changed' as const,
      entity: { type: 'run' as const, id: `run-${index}` },
      team: 'payments',
      runKey: `run-${index}`,
      details: {
        cause: 'started' as const,
        status: 'running' as const,
        stage: 'planning' as const,
        attempt: 1,
        changes: [{ field: 'stage', before: null, after: 1.5 }],
        reason: `Grüße № ${index}`,
      },
    })),
  }))
}

function contextOf(workspaceId: string): Context {
  const ticking: Clock = {
    now: () => {
      now += 0.1
      return clock.now()
    },
  }
  return asService({ db, clock: ticking, queue: silentQueue }, workspaceId)
}

async function seal(): Promise<number> {
  return sealAll(db, signing, clock)
}

async function findingsOf(workspaceId: string, knownCheckpoints: string[] = []): Promise<string[]> {
  const report = await verifyLog(db, signing.publicKey, {
    now: clock.now(),
    workspaceId,
    knownCheckpoints: knownCheckpoints.map((note) => ({ note })),
  })
  return report.workspaces[0]!.findings
}

async function entriesOf(workspaceId: string): Promise<AuditEntry[]> {
  const { rows } = await owner.query('select entry from audit_entries where workspace_id = $1 order by id', [
    workspaceId,
  ])
  return rows.map((row) => JSON.parse(row.entry))
}

async function newestNote(workspaceId: string): Promise<string> {
  const { rows } = await owner.query(
    'select note from audit_checkpoints where workspace_id = $1 order by size desc limit 1',
    [workspaceId],
  )
  return rows[0].note
}

async function count(table: string, workspaceId: string): Promise<number> {
  const { rows } = await owner.query(
    `select count(*)::integer as rows from ${table} where workspace_id = $1`,
    [workspaceId],
  )
  return rows[0].rows
}

/** Exports what no filter could pick. Its record is not sealed yet, and can be made at another time than its id. */
async function anExport(workspaceId: string, file: AuditEntry[], recordAfterMs = 0): Promise<string> {
  const id = newId(clock.now())
  const entries = file.map((entry) => entry.id)
  const recording: Clock = { now: () => new Date(now + recordAfterMs) }
  await change({ ...contextOf(workspaceId), clock: recording }, async (tx) => {
    await tables(tx).insertInto('audit_exports').values({ id, workspace_id: workspaceId, entries }).execute()
    return {
      value: null,
      audit: {
        event: 'audit_exported',
        entity: { type: 'audit_export', id },
        details: {
          format: 'json',
          from: null,
          to: null,
          filters: {},
          count: entries.length,
          digest: exportDigest(entries),
          truncated: false,
        },
      },
    }
  })
  return id
}

/** How many of each there are: what a backup of now would hold. */
const allOf = async (workspaceId: string) => ({
  entries: (await entriesOf(workspaceId)).length,
  leaves: await count('audit_leaves', workspaceId),
})

async function setBack(workspaceId: string, { entries, leaves }: { entries: number; leaves: number }) {
  await tamper('delete from audit_checkpoints where workspace_id = $1 and size > $2', [workspaceId, leaves])
  await tamper('delete from audit_leaves where workspace_id = $1 and position >= $2', [workspaceId, leaves])
  await tamper('delete from audit_entries where id = any($1)', [
    (await entriesOf(workspaceId)).slice(entries).map(({ id }) => id),
  ])
}

async function restored(
  workspaceId: string,
  by: typeof signing,
  times: { takenAt: Date; restoredAt: Date },
): Promise<void> {
  await change(contextOf(workspaceId), async (tx) => ({
    value: null,
    audit: {
      event: 'workspace_restored',
      entity: { type: 'workspace', id: workspaceId },
      details: {
        takenAt: times.takenAt.toISOString(),
        ...(await noteRestored(tx, by, workspaceId, times)),
        withdrawn: 0,
      },
    },
  }))
  await seal()
}

/** By way of a position far beyond the log: no two leaves can have the same. */
async function exchangeLeaves(workspaceId: string, one: number, two: number): Promise<void> {
  await tamper('update audit_leaves set position = 1e12 where workspace_id = $1 and position = $2', [
    workspaceId,
    one,
  ])
  await tamper('update audit_leaves set position = $2 where workspace_id = $1 and position = $3', [
    workspaceId,
    one,
    two,
  ])
  await tamper('update audit_leaves set position = $2 where workspace_id = $1 and position = 1e12', [
    workspaceId,
    two,
  ])
}

async function tamper(statement: string, values: unknown[]): Promise<void> {
  await asOwner(async (client) => {
    await client.query(switchTriggers('disable'))
    const { rowCount } = await client.query(statement, values)
    await client.query(switchTriggers('enable always'))
    assert.notEqual(rowCount, 0, 'nothing was tampered with')
  })
}

/** In a transaction. The connection is closed whatever happens: one left open would keep the tests from ending. */
async function asOwner(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await owner.connect()
  try {
    await client.query('begin')
    await work(client)
    await client.query('commit')
  } finally {
    client.release(true)
  }
}

const switchTriggers = (mode: string) => `
  do $$
  declare
    guarded regclass;
  begin
    for guarded in select tgrelid::regclass from pg_trigger where tgname = 'append_only_rows' loop
      execute format('alter table only %s ${mode} trigger append_only_rows', guarded);
    end loop;
  end $$`
