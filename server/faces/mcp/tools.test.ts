import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Context } from '../../domain/context.ts'
import { askPeople } from '../../domain/engine/lifecycle/ask.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import { newId } from '../../infra/ids.ts'
import { anyCharacter } from '../../test/any-character.ts'
import { testApp } from '../../test/app.ts'
import { aMember, aRun, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'
import { patienceMs } from '../../test/patience.ts'
import { tables } from '../../test/tables.ts'
import { listed } from './schemas.ts'
import { tools } from './tools/index.ts'

test('every tool says all of itself: its name, four hints, a description that fits, and closed arguments', () => {
  const names = tools.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  for (const tool of tools) {
    assert.match(tool.name, /^[a-z]+(_[a-z]+)+$/)
    assert.ok(tool.description.length > 60 && tool.description.length < 2_048, tool.name)
    assert.equal(Object.values(tool.hints).length, 4)
    assert.equal(Reflect.get(tool.input, 'additionalProperties'), false, tool.name)
    assert.ok(!(tool.hints.readOnlyHint && tool.hints.destructiveHint), tool.name)
  }
  assert.equal(tools.filter(({ toolset }) => toolset === 'default').length, 31)
  // A secret does not belong in a model's context.
  assert.ok(!names.some((name) => name.includes('token')))
})

/** Fields that clients send, however deep, and whether each says what it is for. */
function undescribed(schema: unknown, at: string): string[] {
  const { properties = {}, items, anyOf = [] } = (schema ?? {}) as Record<string, never>
  const isSaid = (one: { description?: string; anyOf?: { description?: string }[] }) =>
    [one, ...(one.anyOf ?? [])].some(({ description }) => description)
  return [
    ...Object.entries(properties as Record<string, object>).flatMap(([name, value]) => [
      ...(isSaid(value) ? [] : [`${at}.${name}`]),
      ...undescribed(value, `${at}.${name}`),
    ]),
    ...(items ? undescribed(items, `${at}[]`) : []),
    ...(anyOf as unknown[]).flatMap((one) => undescribed(one, at)),
  ]
}

test('every argument of every tool says what it is for', () => {
  assert.deepEqual(
    tools.map(listed).flatMap(({ name, inputSchema }) => undescribed(inputSchema, name)),
    [],
  )
})

/**
 * What a model pays for the list: names, descriptions and input schemas, which is what clients hand to it. Counted
 * without a tokenizer of any maker: a word of letters is a token for each five of them, every other sign is one.
 */
function tokensOf(text: string): number {
  const pieces = text.match(/[A-Za-z]+|\d{1,3}|[^\sA-Za-z\d]/g) ?? []
  return pieces.reduce((sum, piece) => sum + (/^[A-Za-z]/.test(piece) ? Math.ceil(piece.length / 5) : 1), 0)
}

test('the default tools cost a model fewer than 13,500 tokens', (t) => {
  const shown = tools
    .filter(({ toolset }) => toolset === 'default')
    .map(listed)
    .map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }))
  const tokens = tokensOf(shown.join('\n'))
  const quarter = Math.ceil(shown.join('\n').length / 4)
  t.diagnostic(
    `tools/list: ${shown.length} tools, ${tokens} tokens by words and signs, ${quarter} by characters / 4`,
  )
  assert.ok(tokens < 13_500, String(tokens))
})

describe('a list is a summary unless all of it is asked for', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  test('a page of any list costs a model fewer than 1,500 tokens', async (t) => {
    const owner = await aMember(await aWorkspace(app.storage.db, app.clock), 'owner')
    const team = await aTeam(owner)
    const stories: Awaited<ReturnType<typeof aStory>>[] = []
    for (let number = 1; number <= 20; number += 1) {
      const title = `Show the delivery window of order ${number} at checkout, before the customer pays for it`
      stories.push(await aStory(owner, team, { title }))
    }
    const { token } = await aToken(owner)
    const listing = async (name: string, given: object) => {
      const response = await app.get('/mcp?toolsets=all', token, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: { name, arguments: given },
        }),
      })
      const [, line] = /^data: (.*)$/m.exec(await response.text())!
      const { content } = JSON.parse(line!).result
      return content[0].text as string
    }
    for (const { key: story } of stories)
      await askPeople({ ...owner, channel: 'mcp' }, { about: { story }, ...question })
    for (const story of stories) await aRun(owner, team, story)
    await twentyIncidents(owner, team.id)
    for (const [name, given] of [
      ['list_stories', { team: team.slug }],
      ['list_decisions', {}],
      ['list_runs', {}],
      ['list_incidents', {}],
      ['search_audit', {}],
    ] as const) {
      const [summary, full] = [await listing(name, given), await listing(name, { ...given, detail: 'full' })]
      // Two public tokenizers make one token of 3.7 to 3.9 characters of such a page, and fewer than are counted here.
      const [few, many] = [tokensOf(summary), tokensOf(full)]
      t.diagnostic(`${name}: ${few} tokens by words and signs, ${many} in full`)
      assert.equal(JSON.parse(summary).data.length, 15)
      assert.ok(few < 1_500, `${name}: ${few}`)
      assert.ok(many > few * 2, `${name}: ${many}`)
    }
  })
})

const twentyIncidents = (ctx: Context, teamId: string) =>
  housekeeping(ctx.db, 'incidents for a test', async (tx) => {
    const [at, where] = [ctx.clock.now(), { workspace_id: ctx.workspaceId, team_id: teamId }]
    const serviceId = newId(at)
    const service = { ...where, id: serviceId, name: 'Checkout', created_at: at, updated_at: at }
    await tables(tx).insertInto('services').values(service).execute()
    for (let number = 10; number < 30; number += 1)
      await tables(tx)
        .insertInto('incidents')
        .values({
          ...{ ...where, id: newId(at), service_id: serviceId, key: `inc-7k${number}` },
          ...{ title: `${question.question} ${number}`, severity: 'high', worst_alert: 'high' },
          ...{ status: 'resolved', opened_at: at, resolved_at: at },
        })
        .execute()
  })

const question = {
  question: 'Keep the old address for orders that were placed before the change?',
  options: [
    { id: 'both', label: 'Keep both' },
    { id: 'new', label: 'Only the new one' },
  ],
  recommendation: 'both',
}

describe('whatever is sent as arguments', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  let token: string
  let known: string[]
  before(async () => {
    app = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } })
    const owner = await aMember(await aWorkspace(app.storage.db, app.clock), 'owner')
    const team = await aTeam(owner)
    const story = await aStory(owner, team)
    known = [team.slug, story.key]
    token = (await aToken(owner)).token
  })
  after(() => app.stop())

  const call = (name: string, given: unknown) =>
    app.get('/mcp?toolsets=all', token, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: given },
      }),
    })

  test('no tool fails on our side, and none shows a stack', { timeout: patienceMs }, async () => {
    for (const tool of tools) {
      const properties = Object.keys(tool.input.properties)
      const hostile = fc.oneof(
        fc.string({ unit: anyCharacter, maxLength: 40 }),
        fc.constantFrom('\0', '\ud800', '', '../..', "' or 1=1 --", 'x'.repeat(70_000), ...known),
        fc.jsonValue({ maxDepth: 3 }),
        fc.integer(),
      )
      const plausible = fc.record(
        Object.fromEntries(
          properties.map((name) => [
            name,
            name === 'waitSeconds'
              ? fc.constantFrom(0, -1, 51, '5')
              : fc.oneof(hostile, fc.constantFrom(...known)),
          ]),
        ),
        { requiredKeys: [] },
      )
      const given = fc.oneof({ weight: 4, arbitrary: plausible }, { weight: 1, arbitrary: fc.jsonValue() })
      await fc.assert(
        fc.asyncProperty(given, async (value) => {
          const response = await call(tool.name, value)
          const text = await response.text()
          assert.ok(response.status < 500, `${tool.name} ${response.status} ${text}`)
          assert.doesNotMatch(text, /internal_error|Internal error|\.ts:\d|node:internal|at async/)
        }),
        { numRuns: 5 },
      )
    }
    assert.ok(!app.log.some((line) => line.includes('request failed')), 'nothing failed on our side')
  })
})
