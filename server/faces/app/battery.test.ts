import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testApp } from '../../test/app.ts'
import { aMember, aToken } from '../../test/factories.ts'
import {
  operations as all,
  type Described,
  inputOf,
  isKey,
  noId,
  populated,
  type Tried,
} from '../../test/operations.ts'

/** What every operation of the app owes every caller. An operation that is added is tested without being named here. */

const app = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '100000' } })
after(() => app.stop())

const ofWorkspaces = all.filter(({ isPersonal }) => !isPersonal)
const posted = all.filter(({ method }) => method === 'POST')

const [here, elsewhere] = [await populated(app), await populated(app)]
const owner = await here.signIn('owner')

const absent: Record<string, string> = {
  ...{ team: 'there-is-none', story: 'NONE-1', incident: 'inc-0000' },
  ...{ 'decisions.key': 'dec-0000', 'runs.key': 'run-0000', 'stories.key': 'NONE-1' },
  ...{ 'mirror.key': 'NONE-1', 'requirements.key': 'NONE-1', 'workspaces.slug': 'there-is-none' },
  ...{ 'requirements.slug': 'there-is-none', 'conversations.slug': 'there-is-none' },
}

const otherThan = ({ type }: Described): unknown => (type === 'object' ? ['x'] : { nested: [] })

interface Asking {
  input?: Record<string, unknown>
  workspace?: string
  headers?: Record<string, string | undefined>
  method?: string
  body?: string
}

async function ask(tried: Tried, asking: Asking = {}) {
  const { input = inputOf(tried, {}), workspace = here.slug, method = tried.method } = asking
  const path = tried.isPersonal ? `/api/${tried.name}` : `/api/w/${workspace}/${tried.name}`
  const given = {
    cookie: owner.cookie,
    origin: app.url,
    'content-type': 'application/json',
    ...asking.headers,
  }
  const headers = Object.entries(given).filter((one): one is [string, string] => one[1] !== undefined)
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const sends = tried.method === 'POST'
  const response = await fetch(`${app.url}${path}${sends ? '' : `?${query}`}`, {
    method,
    headers,
    ...(method === 'GET' || method === 'HEAD' ? {} : { body: asking.body ?? JSON.stringify(input) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  const { error } = ((isJson && JSON.parse(text)) || {}) as { error?: { code: string; message: string } }
  return { status: response.status, text, code: error?.code, message: error?.message ?? '' }
}

/** All of them, some at a time; what does not hold is collected with the operation’s name. */
async function each(some: readonly Tried[], holds: (tried: Tried) => Promise<void>): Promise<void> {
  assert.ok(some.length > 0)
  const breaches: string[] = []
  const left = [...some]
  const work = async () => {
    for (let tried = left.pop(); tried; tried = left.pop())
      await holds(tried).catch(({ message }: Error) =>
        breaches.push(`${tried!.name}: ${message.replaceAll(/\s+/g, ' ')}`),
      )
  }
  await Promise.all(Array.from({ length: 8 }, work))
  assert.deepEqual(breaches.toSorted(), [])
}

test('without a session every operation is refused, and an API token is none', async () => {
  const { token } = await aToken(await aMember(here.workspace, 'owner'), ['admin'])
  await each(all, async (tried) => {
    const headers = { cookie: undefined, authorization: `Bearer ${token}` }
    const { status, code } = await ask(tried, { headers })
    assert.deepEqual([status, code], [401, 'not_signed_in'])
  })
})

test('a workspace of others looks like one that does not exist, before the input is looked at', async () => {
  await each(ofWorkspaces, async (tried) => {
    const input = { nonsense: 'x' }
    const foreign = await ask(tried, { input, workspace: elsewhere.slug })
    const missing = await ask(tried, { input, workspace: 'there-is-none' })
    assert.deepEqual([foreign.status, foreign.code], [404, 'not_found'])
    assert.equal(foreign.text.replaceAll(elsewhere.slug, 'X'), missing.text.replaceAll('there-is-none', 'X'))
  })
})

test('what another workspace has looks exactly like what is missing', async () => {
  const named = ofWorkspaces.filter((tried) =>
    Object.keys(inputOf(tried, {})).some((field) => isKey(tried, field)),
  )
  assert.ok(named.length > 90, `${named.length}`)
  await each(named, async (tried) => {
    const foreign = await ask(tried, { input: inputOf(tried, elsewhere.keys) })
    const missing = await ask(tried, { input: inputOf(tried, absent) })
    // A list that is filtered by it is empty.
    const fits = tried.method === 'GET' ? [200, 400, 404] : [400, 404, 409]
    assert.ok(fits.includes(foreign.status), `${foreign.status} ${foreign.text}`)
    const plain = (text: string, keys: Record<string, string>) =>
      [...Object.values(keys), noId].reduce((whole, key) => whole.replaceAll(key, 'KEY'), text)
    assert.equal(plain(foreign.text, elsewhere.keys), plain(missing.text, absent))
  })
})

test('a write from anywhere but our own page is refused before anything else', async () => {
  await each(posted, async (tried) => {
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: undefined },
    ]) {
      const { status, code } = await ask(tried, { headers: { ...headers, cookie: undefined }, body: '{' })
      assert.deepEqual([status, code], [403, 'cross_site'])
    }
  })
})

test('an operation is asked for by its own method alone', async () => {
  await each(all, async (tried) => {
    for (const method of [tried.method === 'GET' ? 'POST' : 'GET', 'DELETE'])
      assert.equal((await ask(tried, { method })).status, 404, method)
  })
})

test('a body that is no JSON object is refused', async () => {
  await each(posted, async (tried) => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    assert.equal((await ask(tried, { headers: form })).status, 415)
    for (const body of ['{', '[]']) assert.deepEqual((await ask(tried, { body })).status, 400, body)
  })
})

test('a field that an operation does not have is named', async () => {
  await each(all, async (tried) => {
    const { status, message } = await ask(tried, { input: { ...inputOf(tried, {}), surplus: 'x' } })
    assert.equal(status, 400)
    assert.match(message, /`surplus`/)
  })
})

test('a field that is missing, or of another kind, is named', async () => {
  await each(all, async (tried) => {
    const whole = inputOf(tried, {})
    const { properties } = tried.input
    for (const field of Object.keys(properties)) {
      const { [field]: _, ...rest } = whole
      const tries = [
        ...(tried.input.required?.includes(field) ? [rest] : []),
        ...(tried.method === 'POST' ? [{ ...rest, [field]: otherThan(properties[field]!) }] : []),
      ]
      for (const input of tries) {
        const { status, message } = await ask(tried, { input })
        assert.equal(status, 400, `${field} ${JSON.stringify(input)}`)
        assert.match(message, new RegExp(`\`${field}`), JSON.stringify(input))
      }
    }
  })
})

/** What every member may do. A write that is not here needs an admin, so a forgotten check is noticed. */
const forMembers = [
  ...['chat.confirmLink', 'conversations.confirm', 'conversations.dismiss', 'conversations.reply'],
  ...['decisions.resolve', 'decisions.snooze', 'decisions.unsnooze', 'mirror.settle', 'mirror.sweep'],
  ...['incidents.acknowledge', 'incidents.askAnyway', 'incidents.changeSeverity', 'incidents.note'],
  ...['incidents.resolve', 'incidents.take', 'notifications.read', 'notifications.readAll'],
  ...['notifications.shown', 'requirements.answer', 'requirements.approveDraft', 'requirements.rejectDraft'],
  ...['requirements.submit', 'requirements.write', 'runs.giveBack', 'runs.retry', 'runs.stop'],
  ...[
    'stories.begin',
    'stories.create',
    'stories.edit',
    'stories.move',
    'stories.moveMany',
    'stories.race',
    'stories.setRepositories',
  ],
  ...['tokens.create', 'tokens.revoke', 'views.remove', 'views.save', 'workspaces.leave'],
  // It is known by a state that only an admin was given.
  'connections.finishApp',
]
/** What a member may not even read. */
const notForMembers = [
  ...['audit.count', 'audit.export', 'audit.list', 'audit.proof', 'audit.verification'],
  ...['connections.apps', 'connections.installUrl', 'connections.projects', 'connections.repositories'],
  ...[
    'managed.drift',
    'members.invitations',
    'singleSignOn.read',
    'suggestions.list',
    'suggestions.read',
    'system.read',
    'webhooks.list',
    'webhooks.message',
    'webhooks.messages',
    'webhooks.read',
    'workspaces.networks',
  ],
]

test('what only owners and admins may do or read is refused to a member, whatever it is about', async () => {
  const member = await here.signIn('member')
  const refused: string[] = []
  const input = (tried: Tried) => inputOf(tried, { ...absent, 'workspaces.slug': here.slug })
  await each(ofWorkspaces, async (tried) => {
    if (tried.name === 'workspaces.leave') return
    const { status, code, text } = await ask(tried, {
      input: input(tried),
      headers: { cookie: member.cookie },
    })
    assert.ok(status < 500, text)
    if (status !== 403) return
    assert.equal(code, 'insufficient_role')
    refused.push(tried.name)
  })
  const expected = ofWorkspaces
    .filter(({ name, method }) =>
      method === 'GET' ? notForMembers.includes(name) : !forMembers.includes(name),
    )
    .map(({ name }) => name)
  assert.deepEqual(refused.toSorted(), expected.toSorted())
})
