import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { revokeToken } from '../../domain/accounts/tokens/revoke.ts'
import { resolveDecision } from '../../domain/engine/answers/resolve.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { testApp } from '../../test/app.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'
import { until } from '../../test/until.ts'
import { tools } from './tools/index.ts'

const eras = {
  legacy: {},
  modern: { versionNegotiation: { mode: { pin: '2026-07-28' } } },
} as const
type Era = keyof typeof eras

interface Result {
  isError?: boolean
  structuredContent?: unknown
  content: unknown
}

describe('the MCP server', async () => {
  let app: Awaited<ReturnType<typeof testApp>>
  let world: Awaited<ReturnType<typeof aWorld>>
  const clients: Client[] = []

  before(async () => {
    app = await testApp()
    world = await aWorld()
  })
  after(async () => {
    for (const client of clients) await client.close()
    await app.stop()
  })

  async function aWorld() {
    const { db, clock } = { db: app.storage.db, clock: app.clock }
    const owner = await aMember(await aWorkspace(db, clock), 'owner')
    const team = await aTeam(owner)
    await aPolicy(owner, team, 'supervised')
    const story = await aStory(owner, team, {
      title: 'A\u200bn a\u202edd\u{e0101}\ufe00\u3164\ufff9ress',
      column: 'backlog',
    })
    // Whatever its permissions: this one may only delete.
    const { token, id } = await aToken(owner, ['delete'])
    return { owner, team, story, token, tokenId: id }
  }

  async function connect(era: Era, token: string, path = '/mcp', headers: Record<string, string> = {}) {
    const client = new Client({ name: 'a test', version: '1' }, eras[era])
    clients.push(client)
    await client.connect(
      new StreamableHTTPClientTransport(new URL(app.url + path), {
        requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
      }),
    )
    return client
  }

  const call = async (client: Client, name: string, given: object = {}) => {
    const result = (await client.callTool({ name, arguments: { ...given } })) as Result
    return { isError: result.isError === true, value: result.structuredContent as never, result }
  }

  for (const era of ['legacy', 'modern'] as const) {
    test(`a ${era} client with a token of any permissions reads a story, with its criteria and what the policy denies`, async () => {
      const client = await connect(era, world.token)
      const { tools: listed } = await client.listTools()
      assert.equal(listed.length, 31)
      for (const { annotations, outputSchema, description, title } of listed) {
        const hints = [annotations?.readOnlyHint, annotations?.destructiveHint, annotations?.idempotentHint]
        assert.ok([...hints, annotations?.openWorldHint].every((hint) => typeof hint === 'boolean'))
        assert.ok(outputSchema && title && description && description.length < 2_000)
      }
      const { value } = await call(client, 'get_story', { story: world.story.key })
      const story: { title: string; testPlan: null; demonstrate: null; untrusted: { fields: string[] } } & {
        policySummary: { deniedPaths: string[]; planApproval: string }
        acceptanceCriteria: unknown[]
      } = value
      assert.equal(story.title, 'An address')
      assert.ok(story.untrusted.fields.includes('description'))
      assert.deepEqual(story.policySummary.deniedPaths, ['.kanman/acceptance/**'])
      assert.ok(Array.isArray(story.acceptanceCriteria))
      assert.equal(story.testPlan, null)
      assert.equal((await client.getInstructions())?.includes('get_context'), true)
    })

    test(`a ${era} client asks a question and gets a person’s answer while the call is held`, async () => {
      const client = await connect(era, world.token)
      const beats: number[] = []
      const asked = client.callTool(
        {
          name: 'request_human_input',
          arguments: {
            story: world.story.key,
            question: `Which of the two (${era})?`,
            options: [
              { id: 'one', label: 'The first' },
              { id: 'two', label: 'The second' },
            ],
            recommendation: 'one',
            waitSeconds: 45,
          },
        },
        { onprogress: ({ progress }) => beats.push(progress) },
      )
      let key = ''
      await until('the question waits', async () => {
        const { value } = await call(client, 'list_decisions', { status: 'pending' })
        key = (value as { data: { key: string }[] }).data[0]?.key ?? ''
        return key !== ''
      })
      await until('the client hears that it waits', () => beats.length > 0)
      await resolveDecision(world.owner, { key, optionId: 'two', note: 'Because.' })
      const { structuredContent } = (await asked) as Result
      const { decision, status, answer } = structuredContent as {
        decision: string
        status: string
        answer: { optionId: string; note: string; by: string; via: string }
      }
      assert.deepEqual([decision, status], [key, 'resolved'])
      assert.deepEqual(
        [answer.optionId, answer.note, answer.by, answer.via],
        ['two', 'Because.', 'A owner', 'app'],
      )
    })

    test(`a ${era} client reads resources and prompts, and completes keys`, async () => {
      const client = await connect(era, world.token)
      const { resourceTemplates } = await client.listResourceTemplates()
      assert.deepEqual(
        resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        ['story://{key}', 'decision://{key}', 'run://{key}/evidence'],
      )
      const { contents } = await client.readResource({ uri: `story://${world.story.key}` })
      assert.match((contents[0] as { text: string }).text, /acceptanceCriteria/)
      await assert.rejects(client.readResource({ uri: 'story://NONE-1' }), /There is no story/)
      const { prompts } = await client.listPrompts()
      assert.deepEqual(
        prompts.map(({ name }) => name),
        ['work_on_story', 'triage_decisions'],
      )
      const { messages } = await client.getPrompt({
        name: 'work_on_story',
        arguments: { story: world.story.key },
      })
      assert.deepEqual(
        messages.map(({ content }) => content.type),
        ['text', 'resource'],
      )
      await assert.rejects(client.getPrompt({ name: 'work_on_story', arguments: { story: 'NONE-1' } }))
      const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri: 'story://{key}' },
        argument: { name: 'key', value: world.story.key.slice(0, 4) },
      })
      assert.deepEqual(completion.values, [world.story.key])
    })
  }

  test('what is refused says what to do next, with the words of the REST API', async () => {
    const client = await connect('modern', world.token)
    const refused = async (name: string, given: object) => {
      const { isError, value } = await call(client, name, given)
      assert.equal(isError, true, name)
      return (value as { error: { code: string; message: string; nextStep: string } }).error
    }
    const missing = await refused('get_story', { story: 'NONE-1' })
    assert.equal(missing.code, 'story_not_found')
    assert.match(missing.nextStep, /list_stories/)
    assert.match((await refused('get_story', { story: 'none' })).message, /story/)
    assert.match((await refused('get_story', { key: 'X-1' })).message, /There is no field `key`/)
    const member = await aMember(world.owner, 'member')
    const theirs = await connect('modern', (await aToken(member)).token)
    const { value } = await call(theirs, 'pause_team', { team: world.team.slug })
    assert.equal((value as { error: { code: string } }).error.code, 'insufficient_role')
    await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), /There is no tool nothing/)
    await assert.rejects(client.callTool({ name: 'list_incidents', arguments: {} }), /\?toolsets=oncall/)
  })

  test('what the app can do and the REST API cannot is done over MCP, in the token owner’s name', async () => {
    const client = await connect('modern', world.token)
    const ok = async <T>(name: string, given: object = {}): Promise<T> => {
      const { isError, value, result } = await call(client, name, given)
      assert.equal(isError, false, JSON.stringify(result.content))
      return value
    }
    const team = world.team.slug
    const context = await ok<{ person: { role: string }; teams: { slug: string }[] }>('get_context')
    assert.equal(context.person.role, 'owner')
    await ok('pause_team', { team, reason: 'A freeze.' })
    await ok('resume_team', { team })
    const { policy } = await ok<{ policy: { version: number; budgets: { runCents: number } } }>('get_team', {
      team,
    })
    const wanted = { team, version: policy.version, changes: { budgets: { runCents: 3_900 } } }
    const preview = await ok<{ dryRun: boolean; changes: { field: string }[] }>('update_policy', wanted)
    assert.deepEqual([preview.dryRun, preview.changes.map(({ field }) => field)], [true, ['budgets']])
    await ok('update_policy', { ...wanted, dryRun: false })
    const late = await call(client, 'update_policy', { ...wanted, dryRun: false })
    assert.equal((late.value as { current: { version: number } }).current.version, policy.version + 1)

    const filed = await ok<{ slug: string; status: string; questions: { id: string }[] }>(
      'submit_requirements',
      { team, text: 'Make it better', idempotencyKey: 'one' },
    )
    const again = await ok<{ slug: string }>('submit_requirements', {
      team,
      text: 'Make it better',
      idempotencyKey: 'one',
    })
    assert.equal(again.slug, filed.slug)
    if (filed.status === 'clarifying')
      await ok('answer_questions', {
        requirement: filed.slug,
        answers: filed.questions.map(({ id }) => ({ id, answer: 'Show the delivery window at checkout.' })),
      })
    const { drafts } = await ok<{ drafts: { key: string; updatedAt: string; missing: string[] }[] }>(
      'get_requirement',
      { requirement: filed.slug },
    )
    assert.ok(drafts.length > 0)
    const [draft, ...others] = drafts
    for (const { key } of others) await ok('reject_draft', { story: key, note: 'Not now.' })
    const { updatedAt } = await ok<{ updatedAt: string }>('get_story', { story: draft!.key })
    const edit = {
      story: draft!.key,
      description: 'People want to see when their order arrives before they pay for it, so show the window.',
      acceptanceCriteria: [
        'Given a basket, when checkout opens, then the window is shown.',
        'Given an unknown postcode, when checkout opens, then no window is shown.',
      ],
      demonstrate: 'Open checkout and show the window.',
      size: 's',
    }
    const edited = await ok<{ readinessScore: number; missing: string[] }>('update_story', {
      ...edit,
      updatedAt,
    })
    assert.deepEqual([edited.readinessScore, edited.missing], [100, []])
    const stale = await call(client, 'update_story', { ...edit, size: 'm', updatedAt })
    assert.equal((stale.value as { error: { code: string } }).error.code, 'changed_meanwhile')
    assert.equal((stale.value as { current: { size: string } }).current.size, 's')
    await ok('approve_draft', { story: draft!.key })
    assert.deepEqual((await ok<{ stories: string[] }>('write_drafts', { requirement: filed.slug })).stories, [
      draft!.key,
    ])
    await ok('list_stories', { team, column: 'backlog', query: 'address' })
    await ok('list_runs', { team })
    await ok('move_story', { story: world.story.key, column: 'refining' })
    const { data } = await listAudit(world.owner, { actor: 'human' }, { limit: 100, after: null })
    const made = data.map(fromJson).filter(({ details }) => details.channel === 'mcp')
    for (const event of ['team_paused', 'team_resumed', 'policy_changed', 'requirement_submitted'] as const)
      assert.ok(
        made.some((entry) => entry.event === event),
        event,
      )
    assert.ok(made.every(({ actor, details }) => actor.name === 'A owner' && details.origin))
  })

  test('an agent takes a Ready story, reports on it and hands it off', async () => {
    const client = await connect('modern', world.token)
    const story = await aStory(world.owner, world.team, { column: 'ready' })
    const begun = await call(client, 'begin_work', { story: story.key, agent: 'a test' })
    assert.equal(begun.isError, false, JSON.stringify(begun.value))
    const { run, deniedPaths } = begun.value as { run: string; deniedPaths: string[] }
    assert.ok(deniedPaths.includes('.kanman/acceptance/**'))
    const done = async (name: string, given: object) => {
      const { isError, value } = await call(client, name, { run, ...given })
      assert.equal(isError, false, JSON.stringify(value))
    }
    await done('report_progress', { message: 'Half of it.', stage: 'implementing' })
    await done('report_evidence', { commands: [{ command: 'npm test', exitCode: 0, outputTail: 'ok' }] })
    await done('hand_off', { summary: 'Done.', pullRequestUrl: 'https://git.example.com/shop/pull/7' })
  })

  test('an agent that cannot finish a story gives it back, and the next one takes it in a run of its own', async () => {
    const client = await connect('legacy', world.token)
    const { key: story } = await aStory(world.owner, world.team, { column: 'ready' })
    const begin = async () => (await call(client, 'begin_work', { story })).value as { run: string }
    const { run } = await begin()
    const given = await call(client, 'give_back', { run, reason: 'The staging keys are missing.' })
    assert.equal(given.isError, false, JSON.stringify(given.value))
    const { value } = await call(client, 'get_story', { story })
    assert.equal((value as { column: { role: string } }).column.role, 'ready')
    const again = await call(client, 'give_back', { run })
    assert.equal((again.value as { error: { code: string } }).error.code, 'conflict')
    assert.notEqual((await begin()).run, run)
    const { data } = await listAudit(world.owner, { run }, { limit: 100, after: null })
    const ended = data.map(fromJson).find(({ details }) => 'reason' in details)
    assert.equal(ended?.details.channel, 'mcp')
    assert.match(JSON.stringify(ended?.details), /Given back by A owner: The staging keys are missing\./)
  })

  test('on call and admin are offered when they are asked for; the read-only address changes nothing', async () => {
    const all = await connect('modern', world.token, '/mcp?toolsets=oncall', { 'x-mcp-toolsets': 'all' })
    assert.equal((await all.listTools()).tools.length, tools.length)
    const { isError } = await call(all, 'search_audit', { event: 'team_paused' })
    assert.equal(isError, false)
    assert.equal((await call(all, 'list_incidents')).isError, false)
    const oncall = await connect('legacy', world.token, '/mcp?toolsets=oncall')
    assert.equal((await oncall.listTools()).tools.length, 36)
    const readOnly = await connect('legacy', world.token, '/mcp/readonly?toolsets=all')
    const { tools: offered } = await readOnly.listTools()
    assert.ok(offered.length > 0 && offered.every(({ annotations }) => annotations?.readOnlyHint))
    await assert.rejects(
      readOnly.callTool({ name: 'pause_team', arguments: { team: world.team.slug } }),
      /Use \/mcp instead/,
    )
    assert.equal((await app.get('/mcp?toolsets=nothing', world.token, { method: 'POST' })).status, 400)
  })

  test('X-MCP-Tools offers just the tools that it names, of any toolset, and an unknown name is refused', async () => {
    const names = { 'x-mcp-tools': 'get_story, search_audit,pause_team' }
    const few = await connect('modern', world.token, '/mcp', names)
    const offered = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
    assert.deepEqual(await offered(few), ['get_story', 'pause_team', 'search_audit'])
    await assert.rejects(few.callTool({ name: 'get_run', arguments: {} }), /not among the tools/)
    const safe = await connect('legacy', world.token, '/mcp/readonly?tools=get_story,pause_team')
    assert.deepEqual(await offered(safe), ['get_story'])
    assert.match((await few.getInstructions()) ?? '', /toolsets: default, oncall.*X-MCP-Tools/)
    for (const [wrong, said] of [
      ['get_story,get_tea', /There is no tool `get_tea`/],
      [' , ', /names no tool/],
    ] as const) {
      const response = await post({ token: world.token, 'x-mcp-tools': wrong })
      assert.equal(response.status, 400)
      assert.match(await response.text(), said)
    }
  })

  test('a story that is created twice under one key is one, and lies in Backlog with what it lacks', async () => {
    const client = await connect('modern', world.token)
    const given = { team: world.team.slug, title: 'Show the window', size: 's', idempotencyKey: 'window' }
    const made = (await call(client, 'create_story', given)).value as { story: string; missing: string[] }
    const again = (await call(client, 'create_story', given)).value as { story: string }
    assert.equal(again.story, made.story)
    assert.ok(made.missing.length > 0)
    const { value } = await call(client, 'get_story', { story: made.story })
    assert.equal((value as { column: { role: string } }).column.role, 'backlog')
    const [entry] = (
      await listAudit(world.owner, { event: 'story_changed' }, { limit: 1, after: null })
    ).data.map(fromJson)
    assert.deepEqual([entry?.entity.id, entry?.details.change], [made.story, 'created'])
  })

  test('what was spent is told by team beside the budgets', async () => {
    const client = await connect('modern', world.token)
    const { value } = await call(client, 'get_spend', { days: '7', byDay: true })
    const spend: { spentCents: number; teams: Record<string, unknown>[]; days: unknown[] } = value
    const team = spend.teams.find(({ team }) => team === world.team.slug)
    assert.deepEqual([spend.spentCents, spend.days, team?.todayCents], [0, [], 0])
    assert.equal(typeof team?.dayBudgetCents, 'number')
  })

  const post = (headers: Record<string, string>, body: unknown = { jsonrpc: '2.0', id: 1, method: 'ping' }) =>
    app.get('/mcp', headers.token, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  test('without a living token the answer is 401, from another site 403, both as the REST API says it', async () => {
    const none = await post({})
    assert.equal(none.status, 401)
    assert.equal(none.headers.get('www-authenticate'), 'Bearer')
    assert.deepEqual(Object.keys(((await none.json()) as { error: object }).error), ['code', 'message'])
    const wrong = await post({ token: `tk_${'a'.repeat(32)}` })
    assert.equal(wrong.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
    assert.equal((await post({ token: world.token, origin: 'https://evil.example' })).status, 403)
    assert.equal((await post({ token: world.token, origin: 'http://localhost:6274' })).status, 200)
    const fine = await post({ token: world.token })
    assert.equal(fine.headers.get('x-ratelimit-limit'), '240')
    assert.equal((await app.get('/mcp', world.token)).status, 405)
    assert.equal((await app.get('/mcp/nothing', world.token)).status, 404)
  })

  test('each message of a batch counts against the quota, and a batch that is too large is refused', async () => {
    const { token } = await aToken(world.owner)
    const batch = (size: number) =>
      Array.from({ length: size }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
    const left = (response: Response) => Number(response.headers.get('x-ratelimit-remaining'))
    const first = await post({ token }, batch(20))
    assert.deepEqual([first.status, left(first)], [200, 220], await first.text())
    const said = await post({ token, 'mcp-protocol-version': '2025-03-26' }, batch(1))
    assert.deepEqual([said.status, left(said)], [200, 219])
    const large = await post({ token }, batch(21))
    assert.equal(large.status, 400)
    assert.match(await large.text(), /at most 20 messages; this one has 21/)
    for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
      const later = await post({ token, 'mcp-protocol-version': version }, batch(2))
      assert.equal(later.status, 400, version)
      assert.match(await later.text(), /has no batches/)
    }
    for (let n = 0; n < 10; n += 1) await (await post({ token }, batch(20))).text()
    const over = await post({ token }, batch(20))
    assert.deepEqual([over.status, over.headers.has('retry-after')], [429, true])
    assert.equal((await post({ token })).status, 429)
  })

  test('a token that is revoked ends its open streams at once', async () => {
    const { token, id } = await aToken(world.owner)
    const question = {
      story: world.story.key,
      question: 'Is anybody there?',
      options: [
        { id: 'yes', label: 'Yes' },
        { id: 'no', label: 'No' },
      ],
      recommendation: 'yes',
      waitSeconds: 50,
    }
    const stream = await post(
      { token },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'request_human_input', arguments: question },
      },
    )
    assert.match(stream.headers.get('content-type')!, /event-stream/)
    const read = stream.text().then(
      (text) => text,
      () => 'broken off',
    )
    await until('the question waits', async () => {
      const { data } = await listAudit(world.owner, { event: 'decision_raised' }, { limit: 1, after: null })
      return fromJson(data[0]!).entity.name === question.question
    })
    const revokedAt = performance.now()
    await revokeToken(world.owner, id)
    assert.doesNotMatch(await read, /"result"/)
    // Long before the wait would have been over.
    assert.ok(performance.now() - revokedAt < 30_000)
    assert.equal((await post({ token })).status, 401)
  })
})
