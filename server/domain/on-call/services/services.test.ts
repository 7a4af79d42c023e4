import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { OnCall } from '../../../test/on-call/on-call.ts'
import { removeMember } from '../../accounts/workspaces/remove-member.ts'
import { listAudit } from '../../record/audit/list.ts'
import { changeService } from './change.ts'
import { createService } from './create.ts'
import { deleteService } from './delete.ts'
import { listPlacesOf } from './list-places.ts'
import { listServiceRows, readServiceRow } from './list-rows.ts'
import { readService } from './read.ts'
import { defaultSettings } from './settings.ts'

const database = await testDatabase()
after(() => database.close())

async function aWorld() {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const team = await aTeam(owner)
  const create = async (name = 'checkout') => fromJson(await createService(owner, { name, team: team.slug }))
  const entries = async () =>
    (await listAudit(owner, { event: 'service_changed' }, { limit: 100, after: null })).data.map(fromJson)
  return { owner, team, create, entries }
}

test('a service begins with the defaults: everything off, High, always, its creator, every place', async () => {
  const { owner, create, entries } = await aWorld()
  const service = await create()
  assert.deepEqual(service.settings, { ...defaultSettings, notify: [owner.personId] })
  assert.deepEqual(fromJson(await readService(owner, service.id)), service)
  assert.equal((await entries())[0]?.details.change, 'created')
})

test('a service that would tell no one says so: no member, and no channel of its team', async () => {
  const onCall = await OnCall.begin(database.db)
  const { id } = await onCall.service()
  const tellsNoOne = async () => (await readServiceRow(onCall.admin, id)).tellsNoOne
  assert.equal(await tellsNoOne(), true)
  await changeService(onCall.admin, id, { settings: { notify: [onCall.admin.personId] } })
  assert.equal(await tellsNoOne(), false)
  await changeService(onCall.admin, id, { settings: { notify: [] } })
  await onCall.place('#incidents')
  assert.equal(await tellsNoOne(), false)
  await changeService(onCall.admin, id, { settings: { places: [] } })
  assert.equal(await tellsNoOne(), true)
})

test('a change of settings is recorded with before and after, and no change is refused', async () => {
  const { owner, create, entries } = await aWorld()
  const { id } = await create()
  const input = { settings: { observeOnly: true, lowestSeverity: 'low' } } as const
  await changeService(owner, id, input)
  assert.deepEqual((await entries())[0]?.details.changes, [
    { field: 'observeOnly', before: false, after: true },
    { field: 'lowestSeverity', before: 'high', after: 'low' },
  ])
  await assert.rejects(changeService(owner, id, input), { code: 'conflict' })
})

test('members read the settings; only owners and admins change them', async () => {
  const { owner, team, create } = await aWorld()
  const { id } = await create()
  const member = await aMember(owner, 'member')
  assert.equal((await listServiceRows(member)).length, 1)
  for (const act of [
    changeService(member, id, { settings: { observeOnly: true } }),
    createService(member, { name: 'x', team: team.slug }),
    deleteService(member, id),
  ])
    await assert.rejects(act, { code: 'insufficient_role' })
  await changeService(await aMember(owner, 'admin'), id, { settings: { observeOnly: true } })
})

test('names are unique whatever their case, and free again after a deletion', async () => {
  const { owner, create, entries } = await aWorld()
  const { id } = await create('Checkout')
  await assert.rejects(create('checkout'), { code: 'conflict' })
  const other = await create('search')
  await assert.rejects(changeService(owner, other.id, { name: 'CHECKOUT' }), { code: 'conflict' })
  await deleteService(owner, id)
  assert.equal((await entries())[0]?.details.change, 'deleted')
  await create('checkout')
  await assert.rejects(readService(owner, id), { code: 'service_not_found' })
})

test('what cannot be is refused with the field and the remedy', async () => {
  const { owner, create } = await aWorld()
  const { id } = await create()
  const elsewhere = await aMember(await aWorkspace(database.db), 'owner')
  const hours = { days: ['mon' as const], start: '22:00', end: '06:00', timeZone: 'Europe/Oslo' }
  const table: [Parameters<typeof changeService>[2], RegExp][] = [
    [{ name: '' }, /name is empty/],
    [{ settings: { lowestSeverity: 'worst' as 'high' } }, /lowestSeverity must be one of critical/],
    [{ settings: { hours: { ...hours, days: [] } } }, /hours.days/],
    [{ settings: { hours: { ...hours, start: '24:00' } } }, /hours.start/],
    [{ settings: { hours: { ...hours, timeZone: 'Oslo' } } }, /hours.timeZone/],
    [{ settings: { notify: ['someone'] } }, /notify must be a list of ids/],
    [{ settings: { notify: [elsewhere.personId] } }, /notify names .* not a member/],
    [{ settings: { places: [elsewhere.personId] } }, /places names .* not a place of the team/],
    [{ repositories: [{ url: '--upload-pack=x', path: '' }] }, /the url of a repository must be an address/],
    [
      { repositories: [{ url: 'https://me:hunter2@git.example.com/x', path: '' }] },
      /must not contain a password/,
    ],
    [
      { repositories: [{ url: 'https://ghp_token@git.example.com/x', path: '' }] },
      /must not contain a password/,
    ],
    [
      { repositories: [{ url: 'ssh://me:hunter2@git.example.com/x', path: '' }] },
      /must not contain a password/,
    ],
  ]
  for (const [input, message] of table)
    await assert.rejects(changeService(owner, id, input), { code: 'invalid_request', message })
  await changeService(owner, id, {
    repositories: [
      { url: 'ssh://git@git.example.com:22/x', path: '' },
      { url: 'git@git.example.com:x', path: '' },
    ],
  })
  await changeService(owner, id, { settings: { hours } })
  assert.deepEqual(fromJson(await readService(owner, id)).settings.hours, hours)
})

test("another workspace's service is not there", async () => {
  const { create } = await aWorld()
  const { id } = await create()
  const stranger = await aMember(await aWorkspace(database.db), 'owner')
  await assert.rejects(readService(stranger, id), { code: 'service_not_found' })
  await assert.rejects(changeService(stranger, id, { name: 'x' }), { code: 'service_not_found' })
})

test('a person who leaves the workspace is told nothing more, and is not in the way of later changes', async () => {
  const { owner, create, entries } = await aWorld()
  const { id } = await create()
  const [leaver, stayer] = [await aMember(owner, 'member'), await aMember(owner, 'member')]
  await changeService(owner, id, { settings: { notify: [leaver.personId, stayer.personId] } })
  await removeMember(owner, leaver.personId)
  assert.deepEqual(fromJson(await readService(owner, id)).settings.notify, [stayer.personId])
  await changeService(owner, id, { name: 'till' })
  assert.deepEqual((await entries())[0]?.details.changes, [
    { field: 'name', before: 'checkout', after: 'till' },
  ])
})

test('of two services that take the same name at once, one does, and the other is told', async () => {
  const { owner, create } = await aWorld()
  const ids = [(await create('a')).id, (await create('b')).id]
  const both = await Promise.allSettled(ids.map((id) => changeService(owner, id, { name: 'same' })))
  const refused = both.filter((one) => one.status === 'rejected')
  assert.equal(refused.length, 1)
  assert.equal(refused[0]!.reason.code, 'conflict')
})

test('services of a team, or places of a service, that does not exist are not an empty list', async () => {
  const { owner, team, create } = await aWorld()
  assert.deepEqual(await listServiceRows(owner, { team: team.slug }), [])
  await assert.rejects(listServiceRows(owner, { team: 'nobody' }), { code: 'team_not_found' })
  const { id } = await create()
  assert.deepEqual(await listPlacesOf(owner, id), [])
  await deleteService(owner, id)
  await assert.rejects(listPlacesOf(owner, id), { code: 'service_not_found' })
})
