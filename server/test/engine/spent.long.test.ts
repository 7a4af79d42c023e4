import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { priceOf } from '../../../runner/gateway/prices.ts'
import { stopRun } from '../../domain/engine/lifecycle/stop.ts'
import { sweep } from '../../domain/engine/supervision/sweep.ts'
import { setRepositories } from '../../domain/work/repositories/set.ts'
import { pauseTeam } from '../../domain/work/teams/pause.ts'
import { silentQueue } from '../../infra/jobs/queue.ts'
import { testApp } from '../app.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { tables } from '../tables.ts'
import { until } from '../until.ts'
import { ABareRepository } from './bare-repository.ts'
import { barePerformers } from './engine.ts'

/**
 * What a provider bills is in the server's books: whichever way an order ends, and when the runner is killed in the
 * middle of a call. A real server, the real runner as a process, an agent that makes calls and closes the connection,
 * and a provider on loopback that keeps its own books and answers when it likes.
 */

const speed = 15
const began = Date.now()
const clock = { now: () => new Date(began + (Date.now() - began) * speed) }
const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-spent-'))
const model = 'claude-opus-4-5'
const output = 2_000
let app: Awaited<ReturnType<typeof testApp>>
let looks: NodeJS.Timeout
const repository = new ABareRepository()
const running = new Set<ChildProcess>()

before(async () => {
  app = await testApp({ clock, env: { EXCHANGE_RATES: 'USD=1', RATE_LIMIT_PER_MINUTE: '1000000' } })
  await repository.push('main', { 'README.md': 'A shop.\n' })
  const base = { db: app.storage.db, clock, queue: silentQueue }
  const ports = { work: { serves: () => false }, performers: barePerformers }
  looks = setInterval(() => void sweep(base, ports, () => {}).catch(() => {}), 60_000 / speed / 4)
})
after(async () => {
  clearInterval(looks)
  for (const child of running) child.kill('SIGKILL')
  provider.closeAllConnections()
  provider.close()
  await app.stop()
  repository.remove()
  rmSync(folder, { recursive: true, force: true })
})

type Does = 'answers' | 'refuses' | 'answers late' | 'never answers' | 'never ends' | 'waits for the others'
interface Said {
  story: string
  does: Does
}

/** By story, what the provider has put on its bill: the moment a call has begun. */
const billed = new Map<string, number[]>()
const events = new EventEmitter()
const arrived: Said[] = []
const tokens = { input_tokens: 100, output_tokens: output }
const bill = priceOf({ api: 'anthropic', models: [model] }, tokens)!.usd
const provider = http.createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const said: Said = JSON.parse(JSON.parse(text).messages[0].content)
  if (said.does === 'refuses') return void response.writeHead(400).end('{"error":{}}')
  billed.set(said.story, [...(billed.get(said.story) ?? []), bill])
  arrived.push(said)
  events.emit('arrived')
  const of = (does: Does) => arrived.some((other) => other.story === said.story && other.does === does)
  if (said.does === 'waits for the others') while (!of('answers late')) await once(events, 'arrived')
  if (said.does === 'never answers') return
  if (said.does === 'never ends') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return void response.write(`data: ${JSON.stringify({ type: 'message_start', message: { model } })}\n\n`)
  }
  const answer = () => response.end(JSON.stringify({ model, usage: tokens }))
  // By then the agent has long ended, and the runner has looked at what it left.
  if (said.does === 'answers late') setTimeout(answer, 1_500)
  else answer()
})
provider.listen(0, '127.0.0.1')
await once(provider, 'listening')

/** Makes the calls that the file beside it names for its story, and ends as that says. */
const agent = path.join(folder, 'agent.mjs')
writeFileSync(
  agent,
  `
  import { readFileSync, writeFileSync } from 'node:fs'
  const { SIGNALBOX_STORY: story, SIGNALBOX_MODEL_URL: url, SIGNALBOX_RESULTS: out, SIGNALBOX_PURPOSE: purpose } = process.env
  const { calls, ends } = JSON.parse(readFileSync(${JSON.stringify(path.join(folder, 'plays.json'))}))[story]
  const ask = (does, signal) => fetch(url + '/v1/messages', {
    method: 'POST',
    signal,
    body: JSON.stringify({
      model: '${model}', max_tokens: ${output},
      stream: does === 'never ends',
      messages: [{ role: 'user', content: JSON.stringify({ story, does }) }],
    }),
  }).then((answer) => answer.text()).catch(() => {})
  const gone = new AbortController()
  const now = ends === 'change' && purpose === 'plan' ? [] : calls
  for (const does of now.filter((each) => each !== 'answers late')) await ask(does)
  const open = now.filter((each) => each === 'answers late').map((does) => ask(does, gone.signal))
  if (open.length > 0) await ask('waits for the others')
  gone.abort()
  const put = (name, json) => writeFileSync(out + '/' + name, JSON.stringify(json))
  if (ends === 'question')
    put('question.json', {
      question: 'Which?', context: '', recommendation: 'a',
      options: [{ id: 'a', label: 'A' }, { id: 'b', label: 'B' }],
    })
  else if (purpose === 'implement') writeFileSync('a.txt', 'Hello.')
  else if (ends === 'plan' || ends === 'change')
    put('plan.json', { plan: 'Add it.', paths: ['a.txt'], risk: ends === 'plan' ? 'high' : 'low', lines: 1 })
  else if (ends === 'stays') await new Promise((resolve) => setTimeout(resolve, 600_000))
  else process.exit(ends === 'fails' ? 1 : 0)
`,
)

async function aPlace(stories: { calls: Does[]; ends: string }[]) {
  const owner = await aMember(await aWorkspace(app.storage.db, clock), 'owner')
  const team = await aTeam(owner)
  await setRepositories(owner, null, team.slug, [{ name: 'shop', address: repository.bare, branch: 'main' }])
  await aPolicy(owner, team, 'trial', {
    ...{ executor: 'command', isolation: 'none', maxConcurrency: 5, planApproval: 'by_risk' },
    budgets: { runCents: 500, dayCents: null, monthCents: null },
  })
  const plays: Record<string, (typeof stories)[number]> = {}
  for (const story of stories) plays[(await aStory(owner, team)).key] = story
  writeFileSync(path.join(folder, 'plays.json'), JSON.stringify(plays))
  const { token } = await aToken(owner, ['read', 'write'])
  const data = mkdtempSync(path.join(folder, 'runner-'))
  const rows = () =>
    tables(app.storage.db)
      .selectFrom('usage_ledger as u')
      .innerJoin('runs as r', 'r.id', 'u.run_id')
      .innerJoin('stories as s', 's.id', 'r.story_id')
      .select(['s.key', 'u.amount', 'u.price_table', 'r.key as run'])
      .where('u.workspace_id', '=', owner.workspaceId)
      .execute()
  return { owner, team, keys: Object.keys(plays), token, data, rows }
}

function work({ token, data }: { token: string; data: string }) {
  const child = spawn(
    process.execPath,
    [
      ...[...process.execArgv, path.join(import.meta.dirname, 'plain-runner.ts'), '--url', app.url],
      ...['--data', data, '--name', 'spent', '--slots', '5', '--git-folders', repository.folder],
      ...['--agents', `command="${process.execPath}" "${agent}"`],
    ],
    {
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, SERVICE_API_KEY: token },
        ...{
          ANTHROPIC_API_KEY: 'k',
          ANTHROPIC_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
        },
        ...{ SIGNALBOX_RUNNER_PACE: `${1 / speed}`, SIGNALBOX_RUNNER_PARENT: `${process.pid}` },
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  running.add(child)
  const heard = { text: '' }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.text += text
  })
  return { child, heard }
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  running.delete(child)
}

/** Nothing about any order is left to tell. */
const isTold = (data: string) =>
  readdirSync(path.join(data, 'orders')).every((order) => {
    try {
      return (
        JSON.parse(readFileSync(path.join(data, 'orders', order, 'acked.json'), 'utf8')).closedAt !== null
      )
    } catch {
      return false
    }
  })

const sum = (amounts: readonly number[]) => amounts.reduce((total, each) => total + each, 0)

test('what a call cost whose agent has hung up is in the books, whichever way its order ended', async () => {
  const calls: Does[] = ['answers', 'answers late']
  const place = await aPlace(
    ['plan', 'question', 'fails', 'change', 'stays'].map((ends) => ({ calls, ends })),
  )
  const { child, heard } = work(place)
  const stays = place.keys.at(-1)!
  await until('every agent has made its calls', () =>
    place.keys.every((key) =>
      arrived.some(({ story, does }) => story === key && does === 'waits for the others'),
    ),
  )
  // A person stops the last one while a call of it is under way.
  const { key } = await tables(app.storage.db)
    .selectFrom('runs')
    .innerJoin('stories as s', 's.id', 'runs.story_id')
    .select('runs.key')
    .where('s.key', '=', stays)
    .executeTakeFirstOrThrow()
  await stopRun(place.owner, key, { confirmed: true })
  await pauseTeam(place.owner, place.team.slug)
  await until(
    `every order is over. ${heard.text}`,
    () => readdirSync(path.join(place.data, 'orders')).length > 3 && isTold(place.data),
  )
  const rows = await place.rows()
  for (const story of place.keys) {
    const booked = sum(rows.filter((row) => row.key === story).map(({ amount }) => Number(amount)))
    assert.ok(
      booked >= sum(billed.get(story)!) - 1e-9,
      `${story}: ${booked} of ${billed.get(story)}\n${heard.text}`,
    )
  }
  // What is known is booked as it was billed; an agent that was stopped did not leave time for the last of its calls.
  for (const row of rows) if (row.key !== stays) assert.doesNotMatch(row.price_table!, /upper bound/)
  // The server is told about all of it before it is told that the order is over.
  for (const order of readdirSync(path.join(place.data, 'orders'))) {
    const told = readFileSync(path.join(place.data, 'orders', order, 'reports.ndjson'), 'utf8')
      .trim()
      .split('\n')
    const types: string[] = told.map((line) => JSON.parse(line).event.type)
    const ending = types.findIndex((type) =>
      ['plan_ready', 'question_asked', 'failed', 'change_ready'].includes(type),
    )
    assert.ok(ending < 0 || !types.slice(ending).includes('usage'), types.join(', '))
  }
  await killed(child)
})

test('a runner that is killed in the middle of calls books them when it starts again, once', async () => {
  const place = await aPlace([
    { calls: ['answers', 'refuses', 'never answers'], ends: 'plan' },
    { calls: ['answers', 'never ends'], ends: 'plan' },
  ])
  const first = work(place)
  await until('both calls are under way', () =>
    place.keys.every((key) => arrived.some(({ story, does }) => story === key && does.startsWith('never'))),
  )
  await killed(first.child)
  await pauseTeam(place.owner, place.team.slug)
  for (const start of ['once', 'and once more']) {
    const again = work(place)
    await until(
      `it has told everything, ${start}`,
      () => again.heard.text.includes('Registered') && isTold(place.data),
    )
    const rows = await place.rows()
    for (const story of place.keys) {
      const booked = rows.filter((row) => row.key === story)
      // One that was answered, as it was billed, and one that was not, as all that it could cost.
      assert.deepEqual(booked.map(({ price_table }) => / \(upper bound\)$/.test(price_table!)).sort(), [
        false,
        true,
      ])
      assert.ok(sum(booked.map(({ amount }) => Number(amount))) >= sum(billed.get(story)!))
    }
    await killed(again.child)
  }
})
