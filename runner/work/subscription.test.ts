import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { after, test } from 'node:test'
import type { SurveyOrder } from '@signalbox/contract/runner/messages.ts'
import { acpAgent } from '../agents/acp.ts'
import type { Agent } from '../agents/agent.ts'
import { claudeAgent } from '../agents/claude.ts'
import { codexAgent } from '../agents/codex.ts'
import type { SignIn } from '../agents/sign-in.ts'
import { measureBox } from '../box/measure.ts'
import { plainBox } from '../test/plain-box.ts'
import { reported, Workbench } from '../test/workbench.ts'

const { box } = await measureBox()
const skip = box.isolation.backend === 'bubblewrap' ? false : 'bubblewrap is not there'

const plan = { plan: 'Add a greeting.', paths: ['greeting.txt'], risk: 'low', lines: 1 }
const secret = 'the-operators-own-access-token'

const signIn = (more: Partial<SignIn> = {}): SignIn => ({
  ...{ from: '~/.codex/auth.json', expiresAt: null, renewal: 'Run codex once.', environment: {}, files: {} },
  ...{ secrets: [secret], hosts: [], api: 'openai', model: 'gpt-5.5' },
  ...more,
})

/** A workbench whose only agent is a program of ours that talks as a real one does. */
function benchWith(
  source: string,
  make: (command: string[], readable: string[]) => Agent,
  at = box,
  its = signIn(),
) {
  const bench = new Workbench({ after }, at, { 'README.md': 'A shop.\n' })
  const file = path.join(bench.folder, 'agent.mjs')
  writeFileSync(file, source)
  const agent = make([process.execPath, file], [file])
  const executor = { ...agent.executor, access: 'subscription' as const }
  Object.assign(bench.shop, { agents: [{ ...agent, executor }], signInOf: () => its })
  const order = { ...bench.order({ stage: 'planning' }), executor: executor.name }
  return { bench, order }
}

const native = (make: typeof codexAgent) => (command: string[], readable: string[]) =>
  make({ command, version: '1.0.0', readable })

/** What Codex prints: its numbers are totals of its thread. */
const codex = (tokens: number) => `
const tell = (event) => console.log(JSON.stringify(event))
tell({ type: 'thread.started', thread_id: 'th-1' })
tell({ type: 'turn.completed', usage: { input_tokens: ${tokens}, cached_input_tokens: 0, output_tokens: 100 } })
`

test('an agent with a subscription reaches its maker and no one else; its numbers are marked as its own', {
  skip,
}, async () => {
  const maker = net.createServer((socket) => socket.end('the maker')).listen(0, '127.0.0.1')
  const other = net.createServer((socket) => socket.end('another')).listen(0, '127.0.0.1')
  await Promise.all([once(maker, 'listening'), once(other, 'listening')])
  after(() => [maker, other].map((server) => server.close()))
  const hostOf = (server: net.Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`
  const source = `
    import { readFileSync, writeFileSync } from 'node:fs'
    import net from 'node:net'
    const { hostname, port } = new URL(process.env.HTTPS_PROXY)
    const reach = (host) => new Promise((resolve) => {
      let heard = ''
      const socket = net.connect(port, hostname, () => socket.write('CONNECT ' + host + ' HTTP/1.1\\r\\nhost: ' + host + '\\r\\n\\r\\n'))
      socket.on('data', (data) => { heard += data }).on('close', () => resolve(heard.replace(/\\s+/g, ' '))).on('error', () => {})
    })
    const direct = (host) => new Promise((resolve) => {
      const socket = net.connect(host.split(':')[1], '127.0.0.1', () => resolve('through')).on('error', () => resolve('closed'))
    })
    const found = readFileSync(process.env.HOME + '/.codex/auth.json', 'utf8')
    const say = (text) => console.log(JSON.stringify({ type: 'item.completed', item: { id: text, type: 'agent_message', text } }))
    say('signed in: ' + (found === ${JSON.stringify(secret)}) + ', told: ' + found)
    say('maker: ' + await reach('${hostOf(maker)}'))
    say('other: ' + await reach('${hostOf(other)}'))
    say('past it: ' + await direct('${hostOf(maker)}'))
    writeFileSync('/out/plan.json', ${JSON.stringify(JSON.stringify(plan))})
    ${codex(1_000)}
    process.exit()
  `
  const its = signIn({ hosts: [hostOf(maker)], files: { '.codex/auth.json': secret } })
  const { bench, order } = benchWith(source, native(codexAgent), box, its)
  const came = await bench.work(order)
  assert.match(came.log, /signed in: true, told: \*\*\*/)
  assert.match(came.log, /maker: HTTP\/1\.1 200 Connection Established the maker/)
  assert.match(came.log, /other: HTTP\/1\.1 403 Forbidden/)
  assert.match(came.log, /past it: closed/)
  assert.match(came.log, /Not reached, because the agent's sign-in does not need it: 127\.0\.0\.1/)
  const { isolation, agent } = reported(came, 'begun')
  assert.deepEqual(isolation, { ...box.isolation, networkOnlyToGateway: false })
  assert.equal(agent.access, 'subscription')
  const { source: from, provider, model, input, amount, priceTable } = reported(came, 'usage')
  assert.deepEqual([from, provider, model, input], ['agent', 'openai', 'gpt-5.5', 1_000])
  assert.ok(amount > 0 && priceTable)
  assert.equal(reported(came, 'plan_ready').plan, plan.plan)
  const left = path.join(bench.shop.data, 'homes', order.run, order.executor, '.codex/auth.json')
  assert.equal(existsSync(left), false, 'the sign-in does not stay in the home of the run')
})

for (const job of ['run', 'survey'] as const)
  test(`when what the agent says it used reaches the budget, no other turn begins: of a ${job}`, async () => {
    const { bench, order } = benchWith(codex(100_000_000), native(codexAgent), plainBox())
    const budget = { ...order.budget, usdMicros: 1_000_000 }
    const { stage: _, ...rest } = order
    const came = await bench.work(
      job === 'run' ? { ...order, budget } : ({ ...rest, budget, job, known: [] } as unknown as SurveyOrder),
    )
    assert.equal(came.reports.filter(({ type }) => type === 'usage').length, 1)
    assert.match(came.log, /Asked once more/)
    assert.equal(came.failed?.message, 'The budget of the run is used up.')
  })

test('totals are booked as differences from one turn to the next', async () => {
  const source = `
    import { existsSync, writeFileSync } from 'node:fs'
    const mark = process.env.HOME + '/second'
    const calls = existsSync(mark) ? 5 : 3
    writeFileSync(mark, '')
    const usage = { inputTokens: 800 * calls, outputTokens: 50 * calls, cacheReadInputTokens: 200 * calls, cacheCreationInputTokens: 0, costUSD: 0.005 * calls }
    console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, session_id: 's-1', result: '', modelUsage: { 'claude-opus-5-5': usage } }))
  `
  const { bench, order } = benchWith(source, native(claudeAgent), plainBox())
  const { reports } = await bench.work(order)
  const used = reports.flatMap((event) => (event.type === 'usage' ? [event] : []))
  assert.deepEqual(
    used.map(({ source: from, amount, input }) => [from, amount.toFixed(3), input]),
    [
      ['agent', '0.015', 3_000],
      ['agent', '0.010', 2_000],
    ],
  )
})

test('an agent that tells what it costs while it works is stopped in the middle', async () => {
  const source = `
    import { createInterface } from 'node:readline'
    const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
    const cost = (amount) => send({ method: 'session/update', params: { sessionId: 's-1', update: { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount, currency: 'USD' } } } })
    let prompt
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method } = JSON.parse(line)
      if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
      if (method === 'session/new') send({ id, result: { sessionId: 's-1' } })
      if (method === 'session/prompt') { prompt = id; cost(0.4); cost(1.2) }
      if (method === 'session/cancel') send({ id: prompt, result: { stopReason: 'cancelled' } })
    }
  `
  const make = (command: string[], readable: string[]) =>
    acpAgent({
      ...{ executor: 'claude_code', name: 'claude_code', version: null, command, path: [], readable },
      ...{
        configure: () => ({ environment: {}, files: {}, args: [] }),
        takesServers: true,
        reportsCachedTokensSeparately: true,
      },
    })
  const { bench, order } = benchWith(source, make, plainBox())
  const came = await bench.work({ ...order, budget: { ...order.budget, usdMicros: 1_000_000 } })
  const amounts = came.reports.flatMap((event) => (event.type === 'usage' ? [event.amount.toFixed(1)] : []))
  assert.deepEqual(amounts, ['0.4', '0.8'])
  assert.equal(came.failed?.message, 'The budget of the run is used up.')
})

test('a sign-in that has expired fails the order with what to do, and starts nothing', async () => {
  const its = signIn({ expiresAt: new Date(0) })
  const { bench, order } = benchWith('console.log("started")', native(codexAgent), plainBox(), its)
  const { failed, log } = await bench.work(order)
  assert.deepEqual(
    [failed?.message, failed?.failureClass],
    ['The sign-in in ~/.codex/auth.json has expired. Run codex once.', 'persistent'],
  )
  assert.doesNotMatch(log, /started/)
})

test('an agent that tells nothing is said to have told nothing', async () => {
  const source = `console.log(JSON.stringify({ type: 'thread.started', thread_id: 't' })); console.log(JSON.stringify({ type: 'turn.failed', error: { message: 'no' } }))`
  const { bench, order } = benchWith(source, native(codexAgent), plainBox())
  assert.match((await bench.work(order)).log, /did not say what this turn used/)
})

test('links in its home do not lead the runner to the operator’s own sign-in', async () => {
  const its = signIn({ files: { '.codex/auth.json': secret } })
  const source = (own: string) => `
    import { rmSync, symlinkSync } from 'node:fs'
    rmSync(process.env.HOME + '/.codex', { recursive: true })
    symlinkSync(${JSON.stringify(own)}, process.env.HOME + '/.codex')
    ${codex(10)}
  `
  const { bench, order } = benchWith('', native(codexAgent), plainBox(), its)
  const own = path.join(bench.folder, 'own')
  const file = path.join(own, 'auth.json')
  mkdirSync(own)
  writeFileSync(file, 'the operator’s')
  writeFileSync(path.join(bench.folder, 'agent.mjs'), source(own))
  await bench.work(order)
  assert.equal(readFileSync(file, 'utf8'), 'the operator’s')
})

test('a change that holds the sign-in is refused before anything of it leaves the machine', async () => {
  const source = `
    import { readFileSync, writeFileSync } from 'node:fs'
    writeFileSync('greeting.txt', 'Hello. ' + readFileSync(process.env.HOME + '/.codex/auth.json', 'utf8'))
    ${codex(10)}
  `
  const its = signIn({ files: { '.codex/auth.json': secret } })
  const { bench, order } = benchWith(source, native(codexAgent), plainBox(), its)
  const { failed, reports } = await bench.work({ ...order, stage: 'implementing' })
  assert.deepEqual(
    [failed?.message, failed?.failureClass],
    ['The change was refused. It contains what the agent signs in with.', 'policy'],
  )
  assert.ok(!reports.some(({ type }) => type === 'change_ready'))
  assert.equal(bench.files.size, 0)
})
