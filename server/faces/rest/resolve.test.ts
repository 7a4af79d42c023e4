import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Decision, ResolvedDecision } from '@signalbox/contract/decision.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { pauseTeam } from '../../domain/work/teams/pause.ts'
import { testApp } from '../../test/app.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'

const env = { RATE_LIMIT_PER_MINUTE: '100000' }
const app = await testApp({ env })
const other = await testApp({ env, databaseUrl: app.databaseUrl })
after(async () => {
  await other.stop()
  await app.stop()
})

const workspace = await aWorkspace(app.storage.db)
const owner = await aMember(workspace, 'owner')
const writer = await aToken(owner, ['write'])
const reader = await aToken(owner, ['read'])

/** A run that waits for an answer about its plan. Its team is paused, so that the answer is all that happens. */
async function aQuestion(authority: Role = 'member') {
  const team = await aTeam(workspace)
  const story = await aStory(workspace, team, { column: 'in_progress' })
  const run = await aRun(workspace, team, story)
  await pauseTeam(owner, team.slug)
  const { key } = await aDecision(workspace, team, { storyId: story.id, run, authority })
  return { key, run: run.key, path: `/v1/decisions/${key}/resolve` }
}

const json = { 'content-type': 'application/json' }
const approve = JSON.stringify({ optionId: 'approve' })

type RequestBody = NonNullable<RequestInit['body']>
const send = (path: string, body: RequestBody | null = approve, headers: Record<string, string> = json) =>
  app.get(path, writer.token, { method: 'POST', body, headers })

async function refusal(response: Response) {
  const body = (await response.json()) as { error: { code: string; message: string } }
  assert.equal(response.headers.get('cache-control'), 'no-store')
  return { status: response.status, ...body.error }
}

const codeOf = async (response: Response) => {
  const { status, code } = await refusal(response)
  return `${status} ${code}`
}

const readDecision = async (key: string): Promise<Decision> =>
  (await (await app.get(`/v1/decisions/${key}`, reader.token)).json()) as Decision

const auditOf = async (run: string) => {
  const page = await (await app.get(`/v1/audit?run=${run}&limit=100`, reader.token)).json()
  return (page as { data: AuditEntry[] }).data
}

test('the answer is the decision, as reading it afterwards shows it, with the steps taken', async () => {
  const { key, path, run } = await aQuestion()
  const response = await send(
    path,
    JSON.stringify({ optionId: 'changes', note: 'Smaller steps, please. 🚂' }),
  )
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  const { effects, ...decision } = (await response.json()) as ResolvedDecision
  assert.deepEqual(decision, await readDecision(key))
  assert.deepEqual(decision.resolution, { optionId: 'changes', note: 'Smaller steps, please. 🚂' })
  assert.equal(decision.resolvedVia, 'api')
  assert.deepEqual(
    effects.map(({ type, status, target }) => [type, status, target.id]),
    [['run_continued', 'queued', run]],
  )
  const answer = (await auditOf(run)).find(({ event }) => event === 'decision_resolved')
  assert.equal(answer?.actor.userId, owner.personId, 'the token’s owner is the answerer')
  assert.equal(answer?.details.channel, 'api')
})

test('what is wrong is told in a fixed order: token, permission, shape, existence, role, option, state', async () => {
  const { path } = await aQuestion('admin')
  const member = await aToken(await aMember(workspace, 'member'), ['write'])
  const memberReading = await aToken(await aMember(workspace, 'member'), ['read'])
  const missing = '/v1/decisions/dec-zzzz/resolve'
  const nonsense = '{'
  const wrongOption = JSON.stringify({ optionId: 'sideways' })
  const ask = async (where: string, body: string, token?: string) =>
    codeOf(await app.get(where, token, { method: 'POST', headers: json, body }))

  assert.equal(await ask(missing, nonsense), '401 missing_token')
  assert.equal(await ask(missing, nonsense, 'tk_wrong'), '401 invalid_token')
  assert.equal(await ask(missing, nonsense, memberReading.token), '403 insufficient_scope')
  assert.equal(await ask(missing, nonsense, member.token), '400 invalid_request')
  assert.equal(await ask(missing, wrongOption, member.token), '404 decision_not_found')
  assert.equal(await ask(path, wrongOption, member.token), '403 insufficient_role')
  assert.equal(await ask(path, wrongOption, writer.token), '400 invalid_option')
  assert.equal((await send(path)).status, 200)
  assert.equal(await ask(path, wrongOption, writer.token), '400 invalid_option')
  assert.equal(await ask(path, approve, writer.token), '409 decision_already_resolved')
})

const shapes: [says: string, body: RequestBody | null, message: RegExp][] = [
  ['no body', null, /not valid JSON/],
  ['text that is not JSON', 'approve', /not valid JSON/],
  ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), /not valid JSON/],
  ['a string', '"approve"', /JSON object with optionId, note/],
  ['null', 'null', /JSON object/],
  ['an array', '[{"optionId":"approve"}]', /JSON object/],
  ['an unknown field', '{"optionId":"approve","comment":"x"}', /`comment`.*optionId, note/],
  ['a field of the prototype', '{"optionId":"approve","__proto__":{"note":"x"}}', /`__proto__`/],
  ['a field that every object has', '{"optionId":"approve","constructor":1}', /`constructor`/],
  ['no optionId', '{"note":"x"}', /`optionId` is missing/],
  ['optionId only on the prototype', '{"__proto__":{"optionId":"approve"}}', /`__proto__`/],
  ['a number as optionId', '{"optionId":1}', /`optionId` must be a string/],
  ['null as optionId', '{"optionId":null}', /`optionId` must be a string/],
  ['an empty optionId', '{"optionId":""}', /`optionId` is empty/],
  ['a very long optionId', JSON.stringify({ optionId: 'x'.repeat(201) }), /`optionId` has 201/],
  ['a number as note', '{"optionId":"approve","note":7}', /`note` must be a string or null/],
  ['a note of 4,001', JSON.stringify({ optionId: 'approve', note: '🚂'.repeat(4_001) }), /4001.*4000/],
  ['half a character', '{"optionId":"approve","note":"\\ud83d"}', /`note` contains half a character/],
  ['a NUL', '{"optionId":"approve","note":"a\\u0000b"}', /`note` contains a NUL/],
]

for (const [says, body, message] of shapes) {
  test(`${says} is refused as a body that cannot be read, whether or not the decision exists`, async () => {
    const { key, path } = await aQuestion()
    for (const where of [path, '/v1/decisions/dec-zzzz/resolve']) {
      const refused = await refusal(await send(where, body))
      assert.equal(`${refused.status} ${refused.code}`, '400 invalid_request')
      assert.match(refused.message, message)
    }
    assert.equal((await readDecision(key)).status, 'pending')
  })
}

test('a note may be null, and the longest note may be escaped in the longest way', async () => {
  const first = await aQuestion()
  assert.equal((await send(first.path, '{"optionId":"approve","note":null}')).status, 200)
  assert.equal((await readDecision(first.key)).resolution?.note, null)
  const second = await aQuestion()
  const note = '🚂'.repeat(4_000)
  const escaped = '\\ud83d\\ude82'.repeat(4_000)
  assert.equal((await send(second.path, `{"optionId":"approve","note":"${escaped}"}`)).status, 200)
  assert.equal((await readDecision(second.key)).resolution?.note, note)
})

test('JSON in UTF-8, uncompressed, is what is taken', async () => {
  const { key, path } = await aQuestion()
  const refused: [RequestBody, Record<string, string>][] = [
    [approve, { 'content-type': 'text/plain' }],
    [approve, { 'content-type': 'application/json; charset=utf-16' }],
    [approve, { 'content-type': 'application/x-www-form-urlencoded' }],
    [approve, { 'content-type': 'application/jsonp' }],
    [new Blob([approve]), {}],
    [gzipSync(approve), { ...json, 'content-encoding': 'gzip' }],
  ]
  for (const [body, headers] of refused)
    assert.equal(await codeOf(await send(path, body, headers)), '415 unsupported_media_type')
  assert.equal((await readDecision(key)).status, 'pending')
  for (const type of ['application/json;charset=utf-8', 'Application/JSON; Charset="UTF-8"']) {
    const next = await aQuestion()
    assert.equal((await send(next.path, approve, { 'content-type': type })).status, 200, type)
  }
})

test('a body over 64 KB is refused', async () => {
  const { path } = await aQuestion()
  const spaces = (bytes: number) => `{"optionId":"approve"${' '.repeat(bytes - 22)}}`
  assert.equal(await codeOf(await send(path, spaces(65_537))), '413 payload_too_large')
  assert.equal((await send(path, spaces(65_536))).status, 200)
})

test('an Idempotency-Key has 1 to 255 printable characters', async () => {
  const { path } = await aQuestion()
  for (const key of ['two words', 'ü', 'x'.repeat(256)])
    assert.equal(
      await codeOf(await send(path, approve, { ...json, 'idempotency-key': key })),
      '400 invalid_request',
    )
  const key = { ...json, 'idempotency-key': '~'.repeat(255) }
  const first = await send(path, approve, key)
  assert.equal(first.status, 200)
  const again = await send(path, approve, key)
  assert.deepEqual([again.status, await again.text()], [200, await first.text()])
  const reused = await send(path, JSON.stringify({ optionId: 'changes' }), key)
  assert.equal(await codeOf(reused), '400 idempotency_key_reused')
  assert.equal(await codeOf(await send(path)), '409 decision_already_resolved')
})

test('a key of another workspace is answered as one that does not exist', async () => {
  const { key } = await aQuestion()
  const stranger = await aToken(await aMember(await aWorkspace(app.storage.db), 'owner'), ['write'])
  const ask = async (key: string) => {
    const response = await app.get(`/v1/decisions/${key}/resolve`, stranger.token, {
      method: 'POST',
      headers: json,
      body: approve,
    })
    return { status: response.status, text: (await response.text()).replaceAll(key, 'dec-????') }
  }
  const missing = await ask('dec-zzzz')
  assert.equal(missing.status, 404)
  assert.deepEqual(await ask(key), missing)
  assert.deepEqual(await ask('not-a-key'), missing, 'so is one that cannot exist')
  assert.equal((await readDecision(key)).status, 'pending')
})

test('of 200 answers at once over two nodes, one is taken and has its effect once', async () => {
  const { key, path, run } = await aQuestion()
  const options = ['approve', 'changes']
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const node = n % 2 ? app : other
      const body = JSON.stringify({ optionId: options[n % 3 === 0 ? 0 : 1], note: `answer ${n}` })
      const response = await node.get(path, writer.token, { method: 'POST', headers: json, body })
      return { status: response.status, answer: (await response.json()) as ResolvedDecision }
    }),
  )
  const taken = answers.filter(({ status }) => status === 200)
  assert.equal(taken.length, 1)
  assert.equal(answers.filter(({ status }) => status === 409).length, 199)
  assert.deepEqual((await readDecision(key)).resolution, taken[0]!.answer.resolution)
  const entries = await auditOf(run)
  assert.equal(entries.filter(({ event }) => event === 'decision_resolved').length, 1)
  assert.equal(entries.filter(({ event }) => event === 'run_state_changed').length, 1)
})
