import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import pg from 'pg'
import { systemClock } from '../../../infra/clock.ts'
import { newId } from '../../../infra/ids.ts'
import { silentQueue } from '../../../infra/jobs/queue.ts'
import { secretsFrom } from '../../../infra/secrets.ts'
import { superuserIn, testDatabase } from '../../../test/database.ts'
import { TestEngine } from '../../../test/engine/engine.ts'
import { aMember, aPolicy, aStory, aTeam, aToken } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { inviteMember } from '../../accounts/invitations/invite.ts'
import { renamePerson } from '../../accounts/people/rename.ts'
import { addPerson } from '../../accounts/workspaces/add-person.ts'
import { changeRole } from '../../accounts/workspaces/change-role.ts'
import type { Context } from '../../context.ts'
import { askPeople } from '../../engine/lifecycle/ask.ts'
import { stopRun } from '../../engine/lifecycle/stop.ts'
import { change } from '../../record/audit/change.ts'
import { exportAudit } from '../../record/audit/export.ts'
import { listAudit } from '../../record/audit/list.ts'
import { markManaged } from '../../record/managed/mark.ts'
import { unlockManaged } from '../../record/managed/unlock.ts'
import { proveExport } from '../../record/seals/prove.ts'
import { sealAll } from '../../record/seals/seal.ts'
import { verifyExport } from '../../record/seals/verify-export.ts'
import { verifyLog } from '../../record/seals/verify-log.ts'
import { changePolicy } from '../../work/policies/change.ts'
import { listRuns } from '../../work/runs/list.ts'
import { pauseTeam } from '../../work/teams/pause.ts'
import { erasePerson } from './erase.ts'
import { eraseAgain } from './erase-again.ts'
import { eraseMember } from './erase-member.ts'
import { previewErasure } from './preview.ts'

const database = await testDatabase()
const { db } = database
// The owner of the database can do what the server cannot.
const superuser = new pg.Pool({ ...superuserIn(database.connection), max: 2 })
const { signing } = secretsFrom('a secret for tests')
const engine = new TestEngine(db)
after(async () => {
  await superuser.end()
  await database.close()
})

const operator = {
  ...{ db, clock: engine.clock, queue: silentQueue, channel: 'operator' as const },
  actor: { type: 'system' as const, name: 'operator test' },
}
const origin = { requestId: 'r-1', address: '203.0.113.77' }

/** Someone with a name that nothing else has. */
async function aPersonNamed(owner: Context, name: string, role: 'owner' | 'member' = 'member') {
  const email = `${name.toLowerCase().replace(/\W/g, '.')}@quill.example`
  const person = await addPerson(owner, { email, name, role })
  const actor = { type: 'human' as const, name, userId: person.id, role }
  return { ...owner, actor, channel: 'app' as const, origin, personId: person.id, email }
}

async function verified(workspaceId: string) {
  await sealAll(db, signing, systemClock)
  const { workspaces } = await verifyLog(db, signing.publicKey, { now: new Date(), workspaceId })
  const { findings, notes } = workspaces[0]!
  return { findings, notes }
}

const fileOf = async (owner: Context) => {
  const { id, content } = await exportAudit(owner, {}, 'json')
  let text = ''
  for await (const piece of content) text += piece
  await sealAll(db, signing, systemClock)
  return { id, entries: JSON.parse(text) }
}
const proofOf = async (owner: Context, id: string) => {
  const proof = await proveExport(db, signing.publicKey, owner.workspaceId, id)
  assert.ok(proof?.sealed)
  return proof.bundle
}

/** Every row of the database as text that has one of these in it. */
async function rowsWith(...words: string[]): Promise<string[]> {
  const { rows } = await superuser.query<{ name: string }>(
    `select quote_ident(n.nspname) || '.' || quote_ident(c.relname) as name from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname in ('public', 'jobs')`,
  )
  const found: string[] = []
  for (const { name } of rows) {
    const { rows: hits } = await superuser.query(
      `select t::text as row from ${name} t where exists (select from unnest($1::text[]) as word where strpos(t::text, word) > 0)`,
      [words],
    )
    found.push(...hits.map(({ row }) => `${name}: ${row}`))
  }
  return found
}

test('after an erasure the name is nowhere in the database, and the log verifies as before', async () => {
  const owner = await engine.workspace()
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'balanced')
  const ada = await aPersonNamed(owner, 'Ada Quillfeather')
  await aToken(ada)
  const story = await aStory(owner, team)
  await engine.settle()
  const run = fromJson((await listRuns(owner, { story: story.key }, { limit: 1, after: null })).data[0]!)
  await stopRun(ada, run.key, { confirmed: true, reason: 'wrong way' })
  const admin = { ...ada, actor: { ...ada.actor, role: 'admin' as const } }
  await changeRole(owner, ada.personId, 'admin')
  await changePolicy(admin, team.slug, { preset: 'supervised' })
  await askPeople(ada, {
    about: { story: story.key },
    question: 'Which one?',
    options: [
      { id: 'a', label: 'This' },
      { id: 'b', label: 'That' },
    ],
    recommendation: 'a',
  })
  await pauseTeam(admin, team.slug, 'Asked by Ada Quillfeather')
  // A file of the configuration names members by their address.
  const member = { kind: 'members', name: ada.email, id: ada.personId } as const
  await markManaged(owner, [{ ...member, applied: { role: 'admin' } }])
  await unlockManaged(owner, member.kind, member.id)
  await inviteMember(
    owner,
    { email: 'ada.second@quill.example', role: 'member' },
    { mailer: null, publicUrl: () => 'http://x' },
  )
  await renamePerson({ ...operator, origin }, ada.personId, 'Ada Plumestone')
  const hers = ['Quillfeather', 'Plumestone', 'ada.quillfeather', '203.0.113.77']
  const places = new Set((await rowsWith(...hers)).map((row) => row.split(':')[0]!.slice('public.'.length)))
  assert.deepEqual([...places].toSorted(), [
    ...['attempts', 'audit_personal', 'decisions', 'managed_resources', 'people', 'policies', 'run_events'],
    'teams',
  ])

  const shown = (await listAudit(owner, {}, { limit: 100, after: null })).data.map(fromJson)
  assert.ok(shown.some(({ actor, event }) => event === 'team_paused' && actor.name === 'Ada Quillfeather'))
  assert.ok(shown.every((entry) => !('v' in entry) && !JSON.stringify(entry).includes('personal:')))
  const { rows: raw } = await database.pool.query('select entry from audit_entries where workspace_id = $1', [
    owner.workspaceId,
  ])
  assert.ok(raw.every(({ entry }) => !hers.some((word) => entry.includes(word))))

  // A page that is remembered, and whose entries never change.
  const pausedBy = async () =>
    fromJson((await listAudit(owner, { event: 'team_paused' }, { limit: 1, after: null })).data[0]!).actor
      .name
  assert.equal(await pausedBy(), 'Ada Quillfeather')
  const earlier = await fileOf(owner)
  const earlierProof = await proofOf(owner, earlier.id)
  assert.deepEqual(verifyExport(earlier.entries, earlierProof, signing.publicKey), [])
  assert.deepEqual(await verified(owner.workspaceId), { findings: [], notes: [] })

  const { values, oldEntries, workspaces } = await previewErasure(
    { db },
    { id: ada.personId, email: ada.email },
  )
  assert.equal(oldEntries, 0)
  assert.equal(workspaces.length, 1)
  const erased = await erasePerson(operator, ada.personId)
  assert.equal(erased.values, values)
  assert.ok(erased.values >= 4 && erased.sentences >= 3)
  assert.deepEqual(await rowsWith(...hers), [])
  assert.equal(await pausedBy(), '[erased]')

  const { findings, notes } = await verified(owner.workspaceId)
  assert.deepEqual(findings, [])
  assert.match(notes.join(), new RegExp(`^${values} personal values were erased on request`))
  const after = (await listAudit(owner, {}, { limit: 100, after: null })).data.map(fromJson)
  const said = after.find(({ event }) => event === 'person_erased')!
  assert.deepEqual(said.entity, { type: 'member', id: ada.personId, name: null })
  assert.equal(said.details.values, values)
  const paused = after.find(({ event }) => event === 'team_paused')!
  assert.deepEqual([paused.actor.name, paused.actor.userId], ['[erased]', ada.personId])
  assert.ok(
    after.some(({ entity }) => entity.name === 'ada.second@quill.example'),
    'others stay',
  )

  // What was saved before proves itself; with a newer proof the name is no longer shown to be what was sealed.
  assert.deepEqual(verifyExport(earlier.entries, earlierProof, signing.publicKey), [])
  const newer = verifyExport(earlier.entries, await proofOf(owner, earlier.id), signing.publicKey)
  assert.ok(
    newer.length > 0 && newer.every((finding) => finding.includes('was erased after this file was made')),
  )
  const later = await fileOf(owner)
  assert.deepEqual(verifyExport(later.entries, await proofOf(owner, later.id), signing.publicKey), [])
  later.entries.find(({ event }: { event: string }) => event === 'team_paused').actor.name = 'Eve'
  assert.notDeepEqual(verifyExport(later.entries, await proofOf(owner, later.id), signing.publicKey), [])

  // A request that was under way then leaves nothing of her.
  await change(ada, async () => ({
    value: null,
    audit: { event: 'workspace_changed', entity: { type: 'workspace', id: 'w' }, details: { changes: [] } },
  }))
  assert.deepEqual(await rowsWith('Ada Quillfeather'), [])
})

test('an entry of the last release stays verifiable and keeps its name, which the preview counts', async () => {
  const owner = await engine.workspace()
  const bea = await aPersonNamed(owner, 'Bea Oldleaf')
  const at = new Date()
  const id = newId(at)
  const entry = {
    ...{ id, timestamp: at.toISOString() },
    actor: { type: 'human', name: 'Bea Oldleaf', userId: bea.personId },
    ...{ team: null, runKey: null, event: 'signed_out', result: 'success' },
    ...{ entity: { type: 'member', id: bea.personId, name: 'Bea Oldleaf' }, details: { channel: 'app' } },
  }
  await change(owner, async (tx) => {
    await tables(tx)
      .insertInto('audit_entries')
      .values({
        ...{ id, workspace_id: owner.workspaceId, actor_type: 'human', event: 'signed_out' },
        entry: JSON.stringify(entry),
      })
      .execute()
    await tables(tx)
      .insertInto('audit_unsealed')
      .values({ workspace_id: owner.workspaceId, entry_id: id })
      .execute()
    return { value: null, audit: [] }
  })
  assert.deepEqual(await verified(owner.workspaceId), { findings: [], notes: [] })
  assert.equal((await previewErasure({ db }, { id: bea.personId, email: bea.email })).oldEntries, 1)
  await erasePerson(operator, bea.personId)
  assert.deepEqual((await verified(owner.workspaceId)).findings, [])
  const left = await rowsWith('Bea Oldleaf')
  assert.ok(left.length === 1 && left[0]!.includes('audit_entries'))
})

test('values that someone else deletes or changes are findings', async () => {
  const owner = await engine.workspace()
  const cleo = await aPersonNamed(owner, 'Cleo Inkwell')
  await aToken(cleo)
  await sealAll(db, signing, systemClock)
  const tampered = async (text: string) => {
    await superuser.query(text, [owner.workspaceId])
    return (await verified(owner.workspaceId)).findings.join('\n')
  }
  const hers = `workspace_id = $1 and value = 'Cleo Inkwell'`
  assert.match(
    await tampered(`update audit_personal set value = 'Eve' where ${hers}`),
    /was changed: it is not what/,
  )
  assert.match(
    await tampered(
      `update audit_personal set salt = null, value = null, erasure = gen_random_uuid() where workspace_id = $1 and value = 'Eve'`,
    ),
    /no entry of the log says so/,
  )
  assert.match(
    await tampered('delete from audit_personal where workspace_id = $1 and erasure is not null'),
    /was deleted, and no erasure is known/,
  )
  for (const text of ['update audit_personal set value = null', 'delete from audit_personal'])
    await assert.rejects(database.pool.query(text), { code: '42501' })
})

test('an owner erases a member who is nowhere else, with their address; the last owner stays', async () => {
  const owner = await engine.workspace()
  const elsewhere = await engine.workspace()
  const dora = await aPersonNamed(owner, 'Dora Nib')
  const member = await aMember(owner, 'member')
  const typed = { id: dora.personId, email: dora.email }
  await assert.rejects(eraseMember(member, typed), { code: 'insufficient_role' })
  await assert.rejects(eraseMember(owner, { ...typed, email: 'dora@quill.example' }), {
    code: 'invalid_request',
  })
  await assert.rejects(eraseMember(owner, { id: owner.personId, email: owner.email }), /another owner/)
  await assert.rejects(eraseMember(elsewhere, typed), { code: 'not_found' })
  await assert.rejects(erasePerson(operator, owner.personId), /the last owner of ws-/)
  await addPerson(elsewhere, { email: dora.email, name: '', role: 'member' })
  await assert.rejects(eraseMember(owner, typed), /another workspace/)
  await erasePerson(operator, dora.personId)
  for (const { workspaceId } of [owner, elsewhere])
    assert.deepEqual((await verified(workspaceId)).findings, [])
  await assert.rejects(erasePerson(operator, dora.personId), { code: 'not_found' })
  assert.equal(await eraseAgain(operator, [dora.personId, newId(new Date())]), 0)

  const emma = await aPersonNamed(owner, 'Emma Blot')
  await eraseMember(owner, { id: emma.personId, email: ` ${emma.email.toUpperCase()}` })
  const said = (await listAudit(owner, { event: 'person_erased' }, { limit: 10, after: null })).data.map(
    fromJson,
  )
  assert.deepEqual(said.find(({ entity }) => entity.id === emma.personId)!.actor, {
    ...{ type: 'human', name: owner.actor.name, userId: owner.personId },
  })
})
