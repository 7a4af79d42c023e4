import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inviteMember } from '../../domain/accounts/invitations/invite.ts'
import { createScimToken } from '../../domain/accounts/provisioning/create-token.ts'
import { mapGroup } from '../../domain/accounts/provisioning/map-group.ts'
import { readProvisioning } from '../../domain/accounts/provisioning/read-settings.ts'
import { revokeScimToken } from '../../domain/accounts/provisioning/revoke-token.ts'
import { addPerson } from '../../domain/accounts/workspaces/add-person.ts'
import { findMember } from '../../domain/accounts/workspaces/find-member.ts'
import { redact } from '../../infra/log.ts'
import { testApp } from '../../test/app.ts'
import { auditEvents } from '../../test/audit-events.ts'
import { aMember, aToken, aWorkspace } from '../../test/factories.ts'
import { signedIn } from '../../test/signed-in.ts'

/** An identity provider manages the people of a workspace, in the shapes that Okta and Entra send. */

const app = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '10' } })
after(() => app.stop())

interface Answer {
  status: number
  type: string | null
  location: string | null
  body: {
    schemas: string[]
    /** Of errors. */
    status: string
    patch: { supported: boolean }
    emails: object[]
    id: string
    active: boolean
    detail: string
    scimType?: string
    totalResults: number
    Resources: { id: string; userName: string; displayName: string; members?: { value: string }[] }[]
    members: { value: string }[]
  }
}

/** A workspace with an owner, and its provider. */
async function provisioned() {
  const workspace = await aWorkspace(app.storage.db)
  const owner = await aMember(workspace, 'owner')
  const made = await createScimToken(owner, { name: 'Okta', hasProvider: true })
  const ask = async (method: string, path: string, body?: object, token = made.token): Promise<Answer> => {
    const response = await fetch(`${app.url}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      location: response.headers.get('location'),
      body: text ? JSON.parse(text) : null,
    }
  }
  const roleOf = async (id: string) => (await findMember(app.storage.db, workspace.workspaceId, id))?.role
  const entries = () => auditEvents(app.storage.db, workspace.workspaceId)
  return { workspace, owner, made, ask, roleOf, entries }
}

let people = 0
const aUser = (more: object = {}) => {
  people += 1
  const userName = `person-${people}@example.com`
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    ...{ userName, externalId: `ext-${people}`, name: { givenName: 'Ada', familyName: `No ${people}` } },
    ...{
      emails: [{ primary: true, value: userName, type: 'work' }],
      active: true,
      title: 'Engineer',
      ...more,
    },
  }
}

test('a person whom the provider deactivates is out at once: membership, tokens, sessions and invitations, with their entries', async () => {
  const { workspace, owner, ask, roleOf, entries } = await provisioned()
  const given = aUser()
  const created = await ask('POST', '/Users', given)
  assert.deepEqual([created.status, created.type], [201, 'application/scim+json; charset=utf-8'])
  const { id } = created.body
  assert.equal(created.location, `${app.url}/scim/v2/Users/${id}`)
  assert.equal(await roleOf(id), 'member')
  const member = {
    ...owner,
    personId: id,
    actor: { type: 'human', name: 'Ada', userId: id, role: 'member' },
  } as const
  const { token } = await aToken(member, ['read'])
  const page = await signedIn(app, { ...member, slug: workspace.slug })
  assert.deepEqual(
    [(await app.get('/v1/teams', token)).status, (await page.read('teams.list')).status],
    [200, 200],
  )

  const off = await ask('PATCH', `/Users/${id}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'Replace', path: 'active', value: 'False' }],
  })
  assert.deepEqual([off.status, off.body.active], [200, false])
  assert.equal(await roleOf(id), undefined)
  assert.deepEqual(
    [(await app.get('/v1/teams', token)).status, (await page.read('teams.list')).status],
    [401, 401],
  )
  const removed = (await entries()).find(({ event }) => event === 'member_removed')!
  assert.deepEqual([removed.actor.type, removed.actor.name], ['system', 'SCIM: Okta'])
  const { channel, sessions, tokens } = removed.details as {
    channel: string
    sessions: number
    tokens: string[]
  }
  assert.deepEqual([channel, sessions, tokens], ['scim', 1, [token.slice(0, 11)]])

  // Found again by the provider, and let in again: the token stays revoked.
  const found = await ask(
    'GET',
    `/Users?filter=${encodeURIComponent(`userName eq "${given.userName.toUpperCase()}"`)}`,
  )
  assert.deepEqual([found.body.totalResults, found.body.Resources[0]?.id], [1, id])
  // As Entra asks: by the address, and for an id with its manager.
  const byFilter = async (filter: string) =>
    (await ask('GET', `/Users?filter=${encodeURIComponent(filter).replaceAll('%20', '+')}`)).body.totalResults
  assert.equal(await byFilter(`emails[type eq "work"].value eq "${given.userName}"`), 1)
  assert.equal(await byFilter(`userName eq "${given.userName}" and externalId eq "${given.externalId}"`), 1)
  assert.equal(await byFilter(`id eq "${id}" and manager eq "${id}"`), 0)
  const invited = { email: given.userName, role: 'admin' } as const
  await inviteMember(owner, invited, { mailer: null, publicUrl: () => app.url })
  const on = await ask('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', value: { active: true } }] })
  assert.deepEqual([on.body.active, await roleOf(id)], [true, 'member'])
  assert.equal((await app.get('/v1/teams', token)).status, 401)

  assert.equal((await ask('DELETE', `/Users/${id}`)).status, 204)
  assert.deepEqual([(await ask('GET', `/Users/${id}`)).status, await roleOf(id)], [404, undefined])
  const told = (await entries()).map(({ event }) => event)
  assert.ok(told.includes('invitation_revoked'))
  assert.equal((await ask('POST', '/Users', given)).body.id, id, 'the account was not deleted')
})

test('who is in another workspace keeps their sessions, name and address, whatever this one’s provider says', async () => {
  const { ask, roleOf } = await provisioned()
  const elsewhere = await aWorkspace(app.storage.db)
  const victim = await aMember(elsewhere, 'owner')
  const page = await signedIn(app, { ...victim, slug: elsewhere.slug })
  const given = aUser({ userName: 'upn@example.com', emails: [{ value: victim.email, primary: true }] })
  const { id } = (await ask('POST', '/Users', given)).body
  assert.equal(id, victim.personId)
  const taken = {
    ...given,
    emails: [{ value: 'attacker@example.com', primary: true }],
    displayName: 'Mallory',
  }
  const changed = await ask('PUT', `/Users/${id}`, taken)
  assert.equal(changed.status, 200)
  assert.deepEqual(changed.body.emails, [{ value: victim.email, type: 'work', primary: true }])
  assert.equal((await ask('PUT', `/Users/${id}`, { ...taken, active: false })).body.active, false)
  // Saying nothing of it does not let them in again.
  assert.equal((await ask('PUT', `/Users/${id}`, { ...taken, active: undefined })).body.active, false)
  assert.equal(await roleOf(id), undefined)
  assert.equal((await page.read('teams.list')).status, 200)
  const response = await fetch(`${app.url}/api/me`, { headers: { cookie: page.cookie } })
  const me = (await response.json()) as { name: string; email: string }
  assert.deepEqual([me.name, me.email], ['A owner', victim.email])
})

test('groups give roles by the mapping, the highest one counts, and the last owner stays', async () => {
  const { owner, ask, roleOf, entries } = await provisioned()
  const [ada, bo] = [
    (await ask('POST', '/Users', aUser())).body.id,
    (await ask('POST', '/Users', aUser())).body.id,
  ]
  const made = await ask('POST', '/Groups', {
    displayName: 'Admins',
    externalId: 'g-1',
    members: [{ value: ada }],
  })
  assert.equal(made.status, 201)
  const group = made.body.id
  assert.equal(await roleOf(ada), 'member', 'a group gives nothing until it is mapped')
  await mapGroup(owner, group, 'admin')
  assert.equal(await roleOf(ada), 'admin')
  const patch = (...Operations: object[]) => ask('PATCH', `/Groups/${group}`, { Operations })
  await patch({ op: 'Add', path: 'members', value: [{ value: bo }] })
  assert.equal(await roleOf(bo), 'admin')
  assert.deepEqual((await patch({ op: 'remove', path: `members[value eq "${ada}"]` })).body.members.length, 1)
  assert.deepEqual([await roleOf(ada), await roleOf(bo)], ['member', 'admin'])

  const owners = (await ask('POST', '/Groups', { displayName: 'Owners' })).body.id
  await mapGroup(owner, owners, 'owner')
  await ask('PATCH', `/Groups/${owners}`, {
    Operations: [{ op: 'add', path: 'members', value: [{ value: bo }] }],
  })
  assert.equal(await roleOf(bo), 'owner', 'the highest of two')
  // With two owners one may go; then the provider cannot take out the other, nor his role, and says why.
  assert.equal((await ask('DELETE', `/Users/${owner.personId}`)).status, 204)
  const before = (await entries()).length
  const last = [
    await ask('PATCH', `/Users/${bo}`, { Operations: [{ op: 'replace', value: { active: false } }] }),
    await ask('DELETE', `/Users/${bo}`),
    await ask('DELETE', `/Groups/${owners}`),
    await ask('PUT', `/Groups/${owners}`, { displayName: 'Owners', members: [] }),
  ]
  assert.deepEqual(
    last.map(({ status }) => status),
    [409, 409, 409, 409],
  )
  assert.match(last[0]!.body.detail, /last owner/)
  assert.deepEqual([await roleOf(bo), (await entries()).length], ['owner', before])
  // Another owner takes the place in the same request.
  const swapped = await ask('PUT', `/Groups/${owners}`, { displayName: 'Owners', members: [{ value: ada }] })
  assert.deepEqual([swapped.status, await roleOf(ada), await roleOf(bo)], [200, 'owner', 'admin'])
  const found = await ask('GET', '/Groups?filter=displayName%20eq%20%22owners%22&excludedAttributes=members')
  assert.deepEqual([found.body.totalResults, found.body.Resources[0]?.members], [1, undefined])
})

test('lists have pages, errors have SCIM’s shape, and members who were there before are found', async () => {
  const { workspace, owner, ask } = await provisioned()
  const email = 'before@example.com'
  const { id } = await addPerson(workspace, { email, name: 'Before', role: 'admin' })
  const found = await ask('GET', `/Users?filter=${encodeURIComponent(`userName eq "${email}"`)}`)
  assert.deepEqual(
    found.body.Resources.map((one) => [one.id, one.displayName]),
    [[id, 'Before']],
  )
  const linked = await ask('PATCH', `/Users/${id}`, {
    Operations: [{ op: 'add', path: 'externalId', value: 'e-9' }],
  })
  assert.equal(linked.status, 200)
  const byExternal = await ask('GET', '/Users?filter=externalId%20eq%20%22e-9%22')
  assert.equal(byExternal.body.Resources[0]?.id, id)
  const page = await ask('GET', '/Users?startIndex=2&count=1')
  assert.deepEqual([page.body.totalResults, page.body.Resources.length], [2, 1])
  const none = await ask('GET', '/Users?count=0')
  assert.deepEqual([none.body.totalResults, none.body.Resources], [2, []])

  const refusals = [
    [await ask('POST', '/Users', aUser({ userName: email, emails: [] })), 409, 'uniqueness'],
    [
      await ask('POST', '/Users', aUser({ userName: owner.email, emails: [{ value: email }] })),
      409,
      'uniqueness',
    ],
    [await ask('POST', '/Users', { userName: 'ada' }), 400, 'invalidValue'],
    [await ask('GET', '/Users?filter=title%20co%20%22x%22'), 400, 'invalidFilter'],
    [
      await ask('POST', '/Groups', { displayName: 'X', members: [{ value: workspace.workspaceId }] }),
      400,
      'invalidValue',
    ],
    [await ask('GET', '/Users/nothing'), 404, undefined],
    [await ask('GET', '/Nothing'), 404, undefined],
    [await ask('GET', '/Users', undefined, 'scim_wrong'), 401, undefined],
  ] as const
  for (const [{ status, type, body }, expected, scimType] of refusals)
    assert.deepEqual(
      {
        status,
        type,
        schemas: body.schemas,
        told: body.status,
        scimType: body.scimType,
      },
      {
        ...{
          status: expected,
          type: 'application/scim+json; charset=utf-8',
          told: String(expected),
          scimType,
        },
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      },
    )

  const config = await ask('GET', '/ServiceProviderConfig')
  assert.equal(config.body.patch.supported, true)
  const types = await ask('GET', '/ResourceTypes')
  assert.deepEqual(
    types.body.Resources.map((one) => one.id),
    ['User', 'Group'],
  )
  const schemas = (await ask('GET', '/Schemas')).body.Resources
  assert.equal((await ask('GET', `/Schemas/${schemas[0]!.id}`)).status, 200)
})

test('a SCIM token opens one workspace and nothing else, is stored as a digest, is counted, and ends when it is revoked', async () => {
  const [here, other] = [await provisioned(), await provisioned()]
  const member = await aMember(here.workspace, 'member')
  assert.equal((await other.ask('GET', `/Users/${member.personId}`)).status, 404)
  assert.equal((await other.ask('DELETE', `/Users/${member.personId}`)).status, 404)
  const { token, id } = here.made
  assert.equal((await app.get('/v1/teams', token)).status, 401)
  const { token: api } = await aToken(here.owner, ['admin'])
  assert.equal((await here.ask('GET', '/Users', undefined, api)).status, 401)
  const { rows } = await app.storage.pool.query('select * from scim_tokens')
  assert.ok(!JSON.stringify(rows).includes(token))
  assert.equal(redact(`{"x":"${token}"}`), `{"x":"${token.slice(0, 11)}[redacted]"}`)
  await assert.rejects(createScimToken(member, { name: 'x', hasProvider: true }), {
    code: 'insufficient_role',
  })
  await assert.rejects(createScimToken(here.owner, { name: 'x', hasProvider: false }), { code: 'conflict' })
  assert.equal((await readProvisioning(here.owner)).tokens[0]?.prefix, token.slice(0, 11))

  const last = await other.ask('GET', '/Users')
  assert.equal(last.status, 200)
  // Ten times what an API token may ask in a minute; three of them are used.
  const statuses = new Set<number>()
  for (let asked = 0; asked < 100; asked += 20)
    for (const { status } of await Promise.all(
      Array.from({ length: 20 }, () => other.ask('GET', '/ServiceProviderConfig')),
    ))
      statuses.add(status)
  assert.deepEqual([...statuses].toSorted(), [200, 429])
  assert.equal((await here.ask('GET', '/Users')).status, 200, 'each token has its own')
  await revokeScimToken(here.owner, id)
  assert.equal((await here.ask('GET', '/Users')).status, 401)
  assert.deepEqual(
    (await here.entries())
      .filter(({ event }) => event === 'provisioning_changed')
      .map(({ details }) => details.change),
    ['token_created', 'token_revoked'],
  )
})
