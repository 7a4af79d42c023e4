import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import type { Resources } from '@signalbox/contract/manage/configuration.ts'
import type { ResourceKind } from '@signalbox/contract/resource-kinds.ts'
import type { OnCallHours } from '@signalbox/contract/service.ts'
import { executors, mergePolicies, planApprovals, presets } from '@signalbox/contract/team.ts'
import { webhookEvents } from '@signalbox/contract/webhook-events.ts'
import fc from 'fast-check'
import { secretsFrom } from '../../../infra/secrets.ts'
import { testDatabase } from '../../../test/database.ts'
import { aWorkspace } from '../../../test/factories.ts'
import { addPerson } from '../../accounts/workspaces/add-person.ts'
import { changeRole } from '../../accounts/workspaces/change-role.ts'
import type { Context } from '../../context.ts'
import { deleteTeam } from '../../engine/lifecycle/delete-team.ts'
import { createService } from '../../on-call/services/create.ts'
import { deleteService } from '../../on-call/services/delete.ts'
import { addSource } from '../../on-call/sources/add.ts'
import { deleteSource } from '../../on-call/sources/delete.ts'
import { listAudit } from '../../record/audit/list.ts'
import { listManaged } from '../../record/managed/list.ts'
import { unlockManaged } from '../../record/managed/unlock.ts'
import { disconnect } from '../../tools/connections/disconnect.ts'
import { addEndpoint } from '../../tools/webhooks/add.ts'
import { removeEndpoint } from '../../tools/webhooks/remove.ts'
import { changePolicy } from '../../work/policies/change.ts'
import { createTeam } from '../../work/policies/create-team.ts'
import { setRepositories } from '../../work/repositories/set.ts'
import type { Tools } from '../resources/kind.ts'
import { applyConfiguration } from './apply.ts'
import { exportConfiguration } from './export.ts'
import { listDrift } from './list-drift.ts'
import { planConfiguration } from './plan.ts'

const database = await testDatabase()
after(() => database.close())

const tools: Tools = {
  secrets: secretsFrom('a key for tests that is long enough'),
  sender: { refusalOf: async () => null },
  gitHost: null,
  chat: {
    findChannel: async (_: unknown, id: string) => ({ id, name: `#ops-${id.toLowerCase()}` }),
  } as unknown as Tools['chat'],
  publicUrl: () => 'https://signalbox.example.com',
  signalUrl: () => 'https://signalbox.example.com/signals',
  // A tool that takes every token and says whose it is.
  connectors: {
    github: { check: async () => ({ account: 'octocat', missing: [] }) },
    slack: { check: async () => ({ account: 'signalbox', missing: [] }) },
  } as unknown as Tools['connectors'],
}

const text = fc
  .string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
  .filter((one) => one.trim() !== '' && !/\p{C}/u.test(one))

const team = fc.record({
  name: text,
  description: fc.option(text),
  preset: fc.constantFrom(...presets),
  departures: fc.option(
    fc.record(
      {
        maxConcurrency: fc.integer({ min: 1, max: 20 }),
        planApproval: fc.constantFrom(...planApprovals),
        mergePolicy: fc.constantFrom(...mergePolicies),
        executor: fc.constantFrom(...executors),
        autoMergeMaxLines: fc.option(fc.nat(5_000)),
        deniedPaths: fc.uniqueArray(fc.constantFrom('infra/**', '*.sql', '.github/**'), { maxLength: 3 }),
        runnerLabels: fc.uniqueArray(fc.constantFrom('gpu', 'eu', 'linux'), { maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
  ),
  folders: fc.uniqueArray(fc.constantFrom('shop', 'api', 'docs'), { maxLength: 2 }),
  service: fc.option(
    fc.record({
      name: text,
      observeOnly: fc.boolean(),
      lowestSeverity: fc.constantFrom('critical', 'high', 'medium', 'low'),
      source: fc.constantFrom('generic', 'grafana', 'uptime'),
      hours: fc.option(
        fc.constant<OnCallHours>({ days: ['mon'], start: '09:00', end: '17:00', timeZone: 'Europe/Oslo' }),
      ),
    }),
  ),
  events: fc.option(fc.subarray(Object.keys(webhookEvents), { minLength: 1 })),
})

test('any configuration made in the app, exported and applied to an empty workspace, is exported the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(team, { maxLength: 3 }), async (teams) => {
      const email = `owner-${randomBytes(5).toString('hex')}@example.com`
      const [made, empty] = [await anOwner(email), await anOwner(email)]
      for (const [index, described] of teams.entries()) await make(made, index, described)
      const file = await exportConfiguration(made, tools)
      assert.deepEqual((await planConfiguration(made, tools, resourcesOf(file))).plan.changes, [], 'drift')
      assert.equal((await applyConfiguration(empty, tools, resourcesOf(file))).failed, null)
      assert.deepEqual(await exportConfiguration(empty, tools), file)
      const again = await applyConfiguration(empty, tools, resourcesOf(file))
      assert.deepEqual(again, { done: [], failed: null, left: 0 })
    }),
    { numRuns: 8 },
  )
})

type Described = typeof team extends fc.Arbitrary<infer T> ? T : never

/** As the app does it. */
async function make(ctx: Context, index: number, described: Described): Promise<void> {
  const { name, description, preset, departures, folders, service, events } = described
  const slug = `team-${index}`
  const { id } = await createTeam(ctx, { name, slug, keyPrefix: `T${index}`, description, preset })
  if (departures)
    await changePolicy(ctx, slug, { preset, departures }).catch((error: { code?: string }) => {
      // It departs from nothing.
      if (error.code !== 'conflict') throw error
    })
  const repositories = folders.map((one) => ({ name: one, address: `/srv/git/${one}.git`, branch: 'trunk' }))
  await setRepositories(ctx, null, slug, repositories)
  if (service) {
    const { source, name: called, ...settings } = service
    const named = { name: `${called.trim()} ${index}`, team: slug }
    const made = JSON.parse(await createService(ctx, { ...named, settings })) as { id: string }
    const check = source === 'uptime' ? { settings: { url: 'https://shop.example.com/' } } : {}
    // Two of one name: the file tells them apart.
    for (const services of [[made.id], []])
      await addSource(ctx, tools.secrets, { kind: source, name: called.trim(), services, ...check })
  }
  if (events) {
    const url = `https://hooks.example.com/${index}`
    await addEndpoint(ctx, tools, { url, description: '', events, teams: index === 0 ? null : [id] })
  }
}

test('the secret of a connection is given by value, compared where it is sealed, and never shown', async () => {
  const owner = await anOwner(`owner-${randomBytes(5).toString('hex')}@example.com`)
  const github = (token: string) => ({
    connections: {
      code: { kind: 'github', name: 'Code', credentials: { token: { value: token } } },
    },
  })
  await assert.rejects(
    planConfiguration(owner, tools, { members: { 'stranger@example.com': { role: 'admin' } } }),
    /members\.stranger@example\.com: No member has this email address/,
  )
  const { plan } = await planConfiguration(owner, tools, github('ghp_first_secret'))
  assert.ok(!JSON.stringify(plan).includes('ghp_first_secret'))
  assert.equal((await applyConfiguration(owner, tools, github('ghp_first_secret'))).failed, null)
  assert.deepEqual((await applyConfiguration(owner, tools, github('ghp_first_secret'))).done, [])
  const rotated = await applyConfiguration(owner, tools, github('ghp_second_secret'))
  assert.deepEqual(
    rotated.done.map(({ action, fields }) => [action, fields]),
    [['change', [{ field: 'credentials', before: null, after: '(secret)' }]]],
  )
  const file = await exportConfiguration(owner, tools)
  assert.deepEqual(file.connections, { code: { kind: 'github', name: 'Code' } })
  const { data } = await listAudit(owner, {}, { limit: 100, after: null })
  assert.ok(data.some((entry) => entry.includes('credentials_replaced')))
  assert.ok(!JSON.stringify([data, rotated, file]).includes('_secret'))
  // Without a secret in the file, the one that is there stays.
  assert.deepEqual((await planConfiguration(owner, tools, resourcesOf(file))).plan.changes, [])
  const { id } = (await planConfiguration(owner, tools, {})).state.find('connections', 'code')!
  await assert.rejects(disconnect({ ...owner, channel: 'app' }, id), /managed by a file/)
})

test('a service posts in a channel of its team that the same file adds, and the channel goes with prune', async () => {
  const owner = await anOwner(`owner-${randomBytes(5).toString('hex')}@example.com`)
  const [botToken, signingSecret] = [{ value: 'xoxb-1-of-a-bot' }, { value: 'a'.repeat(32) }]
  const slack = { kind: 'slack', name: 'Chat', credentials: { botToken, signingSecret } }
  const file = {
    connections: { chat: slack },
    teams: { ops: { name: 'Ops', keyPrefix: 'OPS' } },
    places: { alarms: { team: 'ops', connection: 'chat', channel: 'C0123ABCD' } },
    services: { shop: { name: 'Shop', team: 'ops', places: ['#ops-c0123abcd'] } },
  }
  const applied = await applyConfiguration(owner, tools, file)
  assert.equal(applied.failed, null)
  assert.deepEqual((await applyConfiguration(owner, tools, file)).done, [])
  const { places, services } = await exportConfiguration(owner, tools)
  assert.deepEqual([places, services], [file.places, file.services])
  const { places: _, ...less } = { ...file, services: { shop: { name: 'Shop', team: 'ops' } } }
  const pruned = await applyConfiguration(owner, tools, less, { prune: true })
  assert.deepEqual(
    pruned.done.map(({ action, kind }) => [action, kind]),
    [
      ['change', 'services'],
      ['delete', 'places'],
    ],
  )
})

test('what is no longer as the file said is shown with both values, past the lock too, until the file is applied', async () => {
  const owner = await anOwner(`owner-${randomBytes(5).toString('hex')}@example.com`)
  const email = `member-${randomBytes(5).toString('hex')}@example.com`
  const { id } = await addPerson(owner, { email, name: 'A member', role: 'member' })
  const token = { value: 'ghp_first_secret' }
  const file = (name: string) => ({
    connections: { code: { kind: 'github', name, credentials: { token } } },
    members: { [email]: { role: 'member' } },
    teams: { ops: { name: 'Ops', keyPrefix: 'OPS' } },
    policies: { ops: { preset: 'balanced' } },
  })
  const drift = async () =>
    (await listDrift(owner, tools)).map(({ kind, name, fields }) => [`${kind}.${name}`, fields])
  await applyConfiguration(owner, tools, file('Code'))
  assert.deepEqual(await drift(), [])
  const provider: Context = { ...owner, actor: { type: 'service', name: 'Identity provider' } }
  await changeRole(provider, id, 'admin')
  const policy = (await planConfiguration(owner, tools, {})).state.find('policies', 'ops')!
  const inApp: Context = { ...owner, channel: 'app' }
  await unlockManaged(inApp, 'policies', policy.id)
  await changePolicy(inApp, 'ops', { preset: 'balanced', departures: { maxConcurrency: 7 } })
  const { maxConcurrency } = policy.applied as { maxConcurrency: number }
  const changed = [
    ['policies.ops', [{ field: 'maxConcurrency', file: maxConcurrency, now: 7 }]],
    [`members.${email}`, [{ field: 'role', file: 'member', now: 'admin' }]],
  ]
  assert.deepEqual(await drift(), changed)
  const { done } = await applyConfiguration(owner, tools, file('Our code'))
  assert.deepEqual(done.map(({ kind }) => kind).toSorted(), ['connections', 'members', 'policies'])
  assert.deepEqual(await drift(), [])
  const stored = (await planConfiguration(owner, tools, {})).state.find('connections', 'code')!.applied
  assert.deepEqual(stored, { kind: 'github', name: 'Our code', baseUrl: 'https://api.github.com' })
  // What the file says from now on counts, even where it changes nothing.
  await changeRole(provider, id, 'admin')
  await applyConfiguration(owner, tools, { members: { [email]: { role: 'admin' } } })
  assert.deepEqual(await drift(), [])
})

test('two who apply the same file at the same time create everything once, and the second is told', async () => {
  const owner = await anOwner(`owner-${randomBytes(5).toString('hex')}@example.com`)
  // Both have made their plan when the first of them creates anything: each waits in its last look outside.
  const together = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let waiting = 0
    const wait = () => {
      waiting += 1
      if (waiting === 2) resolve()
      return promise
    }
    return (first: number) => {
      let looks = 0
      return () => {
        looks += 1
        return looks < first ? Promise.resolve() : wait()
      }
    }
  }
  const token = { value: 'ghp_secret' }
  const files = {
    connections: { code: { kind: 'github', name: 'Code', credentials: { token } } },
    webhooks: { deploys: { url: 'https://hooks.example.com/deploys', events: ['run.succeeded'] } },
    sources: { scripts: { kind: 'generic', name: 'Scripts' } },
    teams: { ops: { name: 'Ops', keyPrefix: 'OPS' } },
  }
  for (const [kind, resources] of Object.entries(files)) {
    const [connecting, looking] = [together(), together()]
    const applied = await Promise.all(
      [1, 2].map(() => {
        // An address is looked at when the plan is made, too.
        const [connect, look] = [connecting(1), looking(2)]
        const check = () => connect().then(() => ({ account: 'octocat', missing: [] }))
        const connectors = { github: { check } } as unknown as Tools['connectors']
        const sender = { refusalOf: () => look().then(() => null) }
        const applying = applyConfiguration(owner, { ...tools, connectors, sender }, { [kind]: resources })
        // The other one may have been quick enough for the plan to find out.
        return applying.catch((failed: Error) => ({ failed }))
      }),
    )
    const made = (await planConfiguration(owner, tools, {})).state.all(kind as 'sources')
    assert.deepEqual(
      made.map(({ name, managed }) => [name, managed]),
      [[Object.keys(resources)[0], true]],
    )
    for (const { failed } of applied)
      if (failed) assert.match(failed.message, /Someone else has just created this/)
    if (kind === 'connections' || kind === 'webhooks')
      assert.equal(applied.filter(({ failed }) => failed !== null).length, 1)
  }
  const { data } = await listAudit(owner, {}, { limit: 100, after: null })
  const marked = data.filter((entry) => entry.includes('managedByFile'))
  assert.equal(marked.length, Object.keys(files).length, 'each is marked once')
  // What was unlocked and deleted in the app leaves its name to what the file creates in its place.
  const [source] = (await planConfiguration(owner, tools, {})).state.all('sources')
  const inApp: Context = { ...owner, channel: 'app' }
  await unlockManaged(inApp, 'sources', source!.id)
  await deleteSource(inApp, source!.id)
  const again = await applyConfiguration(owner, tools, { sources: files.sources })
  assert.deepEqual([again.failed, again.done.map(({ action }) => action)], [null, ['create']])
})

test('what is deleted in the app takes its mark along, and the plan creates it again', async () => {
  const owner = await anOwner('deleting@example.com')
  const inApp: Context = { ...owner, channel: 'app' }
  const marks = async () => (await listManaged(owner)).map(({ kind, name }) => `${kind}.${name}`)
  const file = {
    teams: { web: { name: 'Web', keyPrefix: 'WEB' } },
    policies: { web: { preset: 'supervised' } },
    services: { shop: { name: 'Shop', team: 'web' } },
    sources: { pager: { kind: 'pagerduty', name: 'Pager' } },
    webhooks: { deploys: { url: 'https://hooks.example.com/', events: ['run.succeeded'] } },
  } as unknown as Resources
  assert.equal((await applyConfiguration(owner, tools, file)).failed, null)
  const { state } = await planConfiguration(owner, tools, file)
  const idOf = (kind: ResourceKind, name: string) => state.find(kind, name)!.id
  for (const { kind, id } of state.all().filter(({ managed }) => managed))
    await unlockManaged(inApp, kind, id)
  await deleteSource(inApp, idOf('sources', 'pager'))
  assert.deepEqual(await marks(), ['policies.web', 'services.shop', 'teams.web', 'webhooks.deploys'])
  await removeEndpoint(inApp, idOf('webhooks', 'deploys'))
  await deleteService(inApp, idOf('services', 'shop'))
  assert.deepEqual(await marks(), ['policies.web', 'teams.web'])

  const { plan } = await planConfiguration(owner, tools, file)
  assert.deepEqual(
    plan.changes.map(({ action, kind, name }) => `${action} ${kind}.${name}`),
    ['create services.shop', 'create sources.pager', 'create webhooks.deploys'],
  )
  assert.deepEqual(await listDrift(inApp, tools), [])
  await deleteTeam(inApp, 'web')
  assert.deepEqual(await marks(), [])
})

test('a mark of something that is gone goes when the file is applied', async () => {
  const owner = await anOwner('left@example.com')
  const sources = { pager: { kind: 'pagerduty', name: 'Pager' } }
  assert.equal((await applyConfiguration(owner, tools, { sources })).failed, null)
  // As releases before this one deleted.
  await database.pool.query('update sources set deleted_at = now() where workspace_id = $1', [
    owner.workspaceId,
  ])
  assert.equal((await listManaged(owner)).length, 1)
  assert.equal((await applyConfiguration(owner, tools, {})).failed, null)
  assert.deepEqual(await listManaged(owner), [])
})

const resourcesOf = ({ version: _, ...resources }: Awaited<ReturnType<typeof exportConfiguration>>) =>
  resources

async function anOwner(email: string): Promise<Context> {
  const workspace = await aWorkspace(database.db)
  const { id, name } = await addPerson(workspace, { email, name: 'An owner', role: 'owner' })
  return { ...workspace, actor: { type: 'human', name, userId: id, role: 'owner' }, channel: 'manage' }
}
