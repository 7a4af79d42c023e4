import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { secretsFrom } from '../../../infra/secrets.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aWorkspace } from '../../../test/factories.ts'
import type { Context } from '../../context.ts'
import { deleteTeam } from '../../engine/lifecycle/delete-team.ts'
import { createTeam } from '../../work/policies/create-team.ts'
import type { Tools } from '../resources/kind.ts'
import { applyConfiguration } from './apply.ts'
import { planConfiguration } from './plan.ts'

const database = await testDatabase()
after(() => database.close())

const tools: Tools = {
  secrets: secretsFrom('a key for tests that is long enough'),
  sender: {
    refusalOf: async ({ hostname }) => (hostname === '10.0.0.1' ? 'This address is not public.' : null),
  },
  gitHost: null,
  chat: null,
  publicUrl: () => 'https://signalbox.example.com',
  signalUrl: () => 'https://signalbox.example.com/signals',
  connectors: {
    github: { check: async () => ({ account: 'octocat', missing: [] }) },
  } as unknown as Tools['connectors'],
}

const github = { kind: 'github', name: 'Code' }
const credentials = { token: { env: 'GITHUB_TOKEN' } }
const shop = { name: 'Shop', team: 'web' }
const events = ['run.succeeded']

test('a plan refuses what could not be applied, with its place in the file', async () => {
  const workspace = await aWorkspace(database.db)
  const owner: Context = { ...(await aMember(workspace, 'owner')), channel: 'manage' }
  const admin: Context & { email: string } = { ...(await aMember(owner, 'admin')), channel: 'manage' }
  const { email } = await aMember(owner, 'owner')
  const web = { name: 'Web', keyPrefix: 'WEB' }
  await createTeam(owner, { ...web, slug: 'web', preset: 'trial' })
  await createTeam(owner, { name: 'Old', slug: 'old', keyPrefix: 'OLD', preset: 'trial' })
  await deleteTeam(owner, 'old')
  const sources = { pager: { kind: 'pagerduty', name: 'Pager' } }
  const webhooks = { deploys: { url: 'https://hooks.example.com/', events } }
  const there = { services: { shop }, sources, webhooks }
  assert.equal((await applyConfiguration(owner, tools, there)).failed, null)

  const cases: [file: object, why: RegExp, by?: Context][] = [
    [
      { teams: { 'Web Shop': { name: 'Web', keyPrefix: 'WS' } } },
      /^teams\.Web Shop: A team slug is lowercase/,
    ],
    [
      { teams: { web: { ...web, keyPrefix: 'W' } } },
      /^teams\.web: The key prefix .* cannot be changed: it is WEB\./,
    ],
    [
      { teams: { shop: web } },
      /^teams\.shop: There already is, or was, a team whose stories begin with WEB-/,
    ],
    [
      { teams: { old: { name: 'Old', keyPrefix: 'O' } } },
      /^teams\.old: There already is, or was, a team `old`/,
    ],
    [
      { teams: { a: { name: 'A', keyPrefix: 'SAME' }, b: { name: 'B', keyPrefix: 'SAME' } } },
      /^teams\.a: The stories of teams\.b begin with SAME-, too/,
    ],
    [
      { services: { other: { ...shop, name: 'SHOP' } } },
      /^services\.other: services\.shop is called SHOP, too/,
    ],
    [
      { teams: { ops: { name: 'Ops', keyPrefix: 'OPS' } }, services: { shop: { ...shop, team: 'ops' } } },
      /^services\.shop: The team of a service cannot be changed: it is web/,
    ],
    [
      { services: { fresh: { name: 'Fresh', team: 'web', notify: ['ghost@example.com'] } } },
      /^services\.fresh: notify names ghost@example\.com, who is not a member\. Invite/,
    ],
    [{ services: { shop: { ...shop, places: ['#ghost'] } } }, /^services\.shop: places names #ghost/],
    [
      { sources: { pager: { kind: 'generic', name: 'Pager' } } },
      /^sources\.pager: The kind .* it is pagerduty/,
    ],
    [
      { sources: { fresh: { kind: 'sentry', name: 'S', secret: { value: 'a b' } } } },
      /^sources\.fresh: .*secret must have/,
    ],
    [{ connections: { code: github } }, /^connections\.code: A new connection needs `credentials`/],
    [
      { connections: { code: { ...github, credentials: { pin: { value: '1' } } } } },
      /^connections\.code: GitHub takes token or appId/,
    ],
    [{ webhooks: { a: { url: 'ftp://example.com', events } } }, /^webhooks\.a: url must begin with https:/],
    [{ webhooks: { a: { url: 'http://10.0.0.1/', events } } }, /^webhooks\.a: This address is not public/],
    [
      { webhooks: { deploys: { url: 'https://hooks.example.com/', events, teams: [] } } },
      /^webhooks\.deploys: `teams` is empty/,
    ],
    [{ members: { [email]: { role: 'member' } } }, /^members\..*: .* owner/, admin],
    [{ members: { [admin.email]: { role: 'owner' } } }, /^members\..*: .* owner/, admin],
  ]
  for (const [file, why, by = owner] of cases)
    await assert.rejects(planConfiguration(by, tools, file), (error: Error) => {
      assert.match(error.message, why)
      return true
    })
  const all = Object.fromEntries(
    (await planConfiguration(owner, tools, {})).state
      .all('members')
      .map(({ name }) => [name, { role: 'member' }]),
  )
  await assert.rejects(planConfiguration(owner, tools, { members: all }), /The workspace needs an owner/)
})

test('a secret that was left where it is can be planned with, and not be applied', async () => {
  const owner: Context = { ...(await aMember(await aWorkspace(database.db), 'owner')), channel: 'manage' }
  const connections = { code: { ...github, credentials } }
  const { plan } = await planConfiguration(owner, tools, { connections })
  assert.deepEqual(plan.changes[0]?.fields.at(-1), { field: 'credentials', before: null, after: '(secret)' })
  await assert.rejects(
    applyConfiguration(owner, tools, { connections }),
    /^Error: connections\.code: A secret is sent as its value/,
  )
  const known = { code: { ...github, credentials: { token: { value: 'ghp_secret' } } } }
  assert.equal((await applyConfiguration(owner, tools, { connections: known })).failed, null)
  assert.deepEqual((await planConfiguration(owner, tools, { connections })).plan.changes, [])
})
