import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { personalWrites, writes } from '@signalbox/contract/app/index.ts'
import type { Operation } from '@signalbox/contract/app/operation.ts'
import { InvitationAccept, Setup } from '@signalbox/contract/app/sign-in.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { senderKinds } from '@signalbox/contract/signal.ts'
import type { TObject } from 'typebox'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { mostJsonLevels, parseJson } from '../../domain/parse-json.ts'
import { routes } from '../../faces/rest/routes.ts'
import { ways } from '../../faces/sign-in/ways.ts'
import { testApp } from '../app.ts'
import { aMember, aToken, aWorkspace } from '../factories.ts'
import { anSnsMessage, certificatesOf } from '../on-call/sns.ts'
import { signedIn } from '../signed-in.ts'

/**
 * However deep a body nests, it is answered, and not with a failure of ours.
 *
 * FAULTS=all sends the deepest to every address (`npm run test:faults`), otherwise the intake alone gets it.
 */

const app = await testApp({
  certificates: certificatesOf(),
  env: { RATE_LIMIT_PER_MINUTE: '1000000' },
})
after(() => app.stop())
const workspace = await aWorkspace(app.storage.db)
const owner = { ...(await aMember(workspace, 'owner')), slug: workspace.slug }
const { cookie } = await signedIn(app, owner)
const { token } = await aToken(owner, ['admin'])

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const chained = (levels: number) => `${'{"a":'.repeat(levels)}null${'}'.repeat(levels)}`
const deepest = process.env.FAULTS === 'all' ? [chained(100_000)] : []
const deep = [nested(mostJsonLevels + 1), chained(5_000), ...deepest]

const send = async (path: string, body: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(app.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: app.url, cookie, ...headers },
    body,
  })
  return { status: answer.status, text: await answer.text() }
}

const failures = () => app.log.filter((line) => /"level":"(error|fatal)"/.test(line))

/** All of them as the whole body, and the shortest in each of its fields. */
const bodies = (schema: TObject, values: string[]) => [
  ...values,
  ...Object.keys(schema.properties).map((name) => `{"${name}":${values[0]}}`),
]

async function isRefused(path: string, schema: TObject, values: string[], headers?: Record<string, string>) {
  for (const body of bodies(schema, values)) {
    const { status, text } = await send(path, body, headers)
    assert.equal(status, 400, `${path} ${body.slice(0, 40)}: ${status} ${text.slice(0, 200)}`)
    assert.deepEqual(Object.keys(JSON.parse(text).error), ['code', 'message'])
    assert.match(text, /nests deeper than \d+ levels/)
  }
}

const entriesOf = (operations: Record<string, Operation>) => Object.entries(operations)

test('every write of the app refuses a body that nests too deep', async () => {
  for (const [name, { input }] of entriesOf(writes))
    await isRefused(`/api/w/${owner.slug}/${name}`, input, deep)
  for (const [name, { input }] of entriesOf(personalWrites)) await isRefused(`/api/${name}`, input, deep)
  assert.deepEqual(failures(), [])
})

test('so does everything before the sign-in, where no one has shown a token', async () => {
  const posts = ways.flatMap((way) =>
    way.input && !way.needsProvider ? [[`/api/auth${way.path}`, way.input] as const] : [],
  )
  assert.ok(posts.length > 5)
  for (const [path, input] of [
    ...posts,
    ['/api/setup', Setup] as const,
    ['/api/invitations/none/accept', InvitationAccept] as const,
  ])
    await isRefused(path, input, deep, { cookie: '' })
  assert.deepEqual(failures(), [])
})

test('so does every write of the REST API', async () => {
  for (const route of routes.filter(({ body }) => body))
    await isRefused(
      route.path.replace(':decision', 'dec-0000'),
      route.body!,
      // Its bodies are shorter than the deepest.
      [nested(mostJsonLevels + 1), chained(5_000), nested(30_000)],
      { authorization: `Bearer ${token}`, cookie: '' },
    )
})

test('the intake answers every sender: one that can mend it is told, and from the others it is kept', async () => {
  for (const kind of senderKinds) {
    const made = await addSource(owner, app.storage.secrets, { kind, name: kind, services: [] })
    const secret = made.secret!
    const url = `/signals/${fromJson(made.source).token}?key=${encodeURIComponent(secret)}`
    // As deep as its limit of size allows.
    for (const value of [nested(mostJsonLevels + 1), chained(5_000), nested(80_000)])
      for (const body of [
        value,
        `{"title":"Deep","labels":${value},"alerts":${value},"data":${value}}`,
        ...(kind === 'cloudwatch' ? [JSON.stringify(anSnsMessage({ Message: value }, new Date()))] : []),
      ]) {
        const hmac = createHmac('sha256', secret).update(body).digest('hex')
        const { status, text } = await send(url, body, {
          authorization: `Bearer ${secret}`,
          'x-service-signature': `sha256=${hmac}`,
          'x-grafana-alerting-signature': hmac,
          'x-pagerduty-signature': `v1=${hmac}`,
          'sentry-hook-signature': hmac,
          'sentry-hook-resource': 'event_alert',
        })
        const expected = kind === 'generic' ? [400] : kind === 'cloudwatch' ? [202, 401] : [202]
        assert.ok(expected.includes(status), `${kind} ${body.slice(0, 40)}: ${status} ${text.slice(0, 200)}`)
        if (kind === 'generic') assert.match(text, /nests deeper than \d+ levels/)
      }
  }
  assert.deepEqual(failures(), [])
})

test('what nests as deep as may be is taken', () => {
  assert.ok(parseJson(nested(mostJsonLevels)))
  assert.ok(parseJson(`[${'{"a":1},'.repeat(10_000)}${nested(mostJsonLevels - 1)}]`))
})
