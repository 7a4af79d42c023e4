import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type AgentContext,
  agent as agentApp,
  methods,
  ndJsonStream,
  type PromptResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable'
import type { Box } from '../box/box.ts'
import { drive, Site } from '../test/drive.ts'
import { plainBox } from '../test/plain-box.ts'
import { usageOf } from '../test/play.ts'
import { type AcpLaunch, acpAgent } from './acp.ts'

let site: Site
beforeEach(() => {
  site = new Site()
})
afterEach(() => site[Symbol.dispose]())

type Prompt = (client: AgentContext, session: string, cancelled: AbortSignal) => Promise<PromptResponse>

/** An agent inside this process, behind the same streams as a real one. */
function boxWith(prompt: Prompt, capabilities: object = {}): Box & { asked: string[] } {
  const asked: string[] = []
  const start: Box['start'] = () => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const cancel = new AbortController()
    const update = (client: AgentContext, sessionId: string, of: SessionUpdate) =>
      client.notify(methods.client.session.update, { sessionId, update: of })
    agentApp({ name: 'double' })
      .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: capabilities }))
      .onRequest(methods.agent.session.new, () => {
        asked.push('new')
        return { sessionId: 'fresh' }
      })
      .onRequest(methods.agent.session.load, async ({ params, client }) => {
        asked.push('load')
        await update(client, params.sessionId, chunk('what was said before'))
        return {}
      })
      .onRequest(methods.agent.session.prompt, ({ params, client }) =>
        prompt(client, params.sessionId, cancel.signal),
      )
      .onNotification(methods.agent.session.cancel, () => cancel.abort())
      .connect(
        ndJsonStream(
          Writable.toWeb(stdout) as WritableStream<Uint8Array>,
          Readable.toWeb(stdin) as ReadableStream<Uint8Array>,
        ),
      )
    const ended = once(stdin, 'close').then(() => ({ code: 0, signal: null }))
    return {
      ...{ stdin, stdout, stderr, pid: Promise.resolve(null), ended },
      async end() {
        stderr.destroy()
        stdin.destroy()
        stdout.destroy()
      },
    }
  }
  return Object.assign(plainBox(), { start, asked })
}

const chunk = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
})

const launch: AcpLaunch = {
  ...{ executor: 'command', name: 'double', version: '1', command: ['double'], path: [], readable: [] },
  configure: () => ({ environment: {}, files: {}, args: [] }),
  ...{ takesServers: true, reportsCachedTokensSeparately: true },
}
const agent = acpAgent(launch)

test('a permission is answered by the rules of the turn, once and not forever, and a refusal is told', async () => {
  const answers: unknown[] = []
  const box = boxWith(async (client, sessionId) => {
    for (const path of [`${site.worktree}/a.txt`, '/etc/passwd']) {
      const { outcome } = await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall: { toolCallId: path, kind: 'edit', title: `Write ${path}`, locations: [{ path }] },
        options: [
          { optionId: 'always', kind: 'allow_always', name: 'Always' },
          { optionId: 'once', kind: 'allow_once', name: 'Once' },
          { optionId: 'no', kind: 'reject_once', name: 'No' },
        ],
      })
      answers.push(outcome)
    }
    return { stopReason: 'end_turn' }
  })
  const { end, events } = await drive(agent, box, site, { prompt: 'Write.' })
  assert.deepEqual(end, { ended: 'normally' })
  assert.deepEqual(answers, [
    { outcome: 'selected', optionId: 'once' },
    { outcome: 'selected', optionId: 'no' },
  ])
  assert.deepEqual(
    events.filter(({ type }) => type === 'denied'),
    [{ type: 'denied', what: 'Write /etc/passwd' }],
  )
})

test('money that is told as a total of the session becomes a difference; cached tokens are part of the input', async () => {
  let total = 0
  const box = boxWith(
    async (client, sessionId) => {
      total += 0.0044
      await client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: total, currency: 'USD' } },
      })
      const usage = { totalTokens: 1_050, inputTokens: 800, cachedReadTokens: 200, outputTokens: 50 }
      return { stopReason: 'end_turn', usage }
    },
    { loadSession: true },
  )
  const first = await drive(agent, box, site, { prompt: 'Go.' })
  const second = await drive(agent, box, site, { prompt: 'Go on.', session: 'fresh' })
  assert.deepEqual(
    [...usageOf(first), ...usageOf(second)].map(({ amount, input, cacheRead, output }) => [
      amount?.toFixed(4),
      ...[input, cacheRead, output],
    ]),
    [
      ['0.0044', 1_000, 200, 50],
      ['0.0044', 1_000, 200, 50],
    ],
  )
})

test('a session is taken up where the agent can, and what it plays back is not told again', async () => {
  const box = boxWith(
    async (client, sessionId) => {
      await client.notify(methods.client.session.update, { sessionId, update: chunk('new words') })
      return { stopReason: 'end_turn' }
    },
    { loadSession: true },
  )
  const { events } = await drive(agent, box, site, { prompt: 'Go on.', session: 'known' })
  assert.deepEqual(box.asked, ['load'])
  assert.deepEqual(events, [
    { type: 'session', id: 'known' },
    { type: 'said', text: 'new words' },
  ])
})

test('an agent that cannot take up a session begins a new one', async () => {
  const box = boxWith(async () => ({ stopReason: 'end_turn' }))
  const { events } = await drive(agent, box, site, { prompt: 'Go on.', session: 'known' })
  assert.deepEqual(box.asked, ['new'])
  assert.deepEqual(events, [{ type: 'session', id: 'fresh' }])
})

test('cancel lets the agent end its turn', async () => {
  const cancel = new AbortController()
  const box = boxWith(async (_, __, cancelled) => {
    queueMicrotask(() => cancel.abort())
    await once(cancelled, 'abort')
    return { stopReason: 'cancelled' }
  })
  const { end } = await drive(agent, box, site, { prompt: 'Sleep.', cancelled: cancel.signal })
  assert.deepEqual(end, { ended: 'cancelled' })
})

test('stop reasons are ends of ours', async () => {
  const endAfter = async (stopReason: PromptResponse['stopReason']) =>
    (
      await drive(
        agent,
        boxWith(async () => ({ stopReason })),
        site,
        { prompt: 'Go.' },
      )
    ).end.ended
  assert.equal(await endAfter('max_turn_requests'), 'limit')
  assert.equal(await endAfter('refusal'), 'failed')
  // Some end their turn like this when something was refused to them.
  assert.equal(await endAfter('cancelled'), 'failed')
})

test('a turn in which nothing has worked is a failure, whatever the agent calls it', async () => {
  const box = boxWith(async (client, sessionId) => {
    const failed: SessionUpdate = {
      ...{ sessionUpdate: 'tool_call', toolCallId: 't', title: 'ls', status: 'failed' },
      content: [{ type: 'content', content: { type: 'text', text: 'no such device' } }],
    }
    await client.notify(methods.client.session.update, { sessionId, update: failed })
    return { stopReason: 'end_turn' }
  })
  const { end } = await drive(agent, box, site, { prompt: 'Go.' })
  assert.deepEqual(end, {
    ...{ ended: 'failed', transient: false },
    error: 'Every tool call failed, the last with: no such device',
  })
})

test('an agent that dies is a failure with its last words', async () => {
  const lines = 'echo "cannot find its libraries" >&2; exit 3'
  const dying = acpAgent({ ...launch, command: ['/bin/sh', '-c', lines] })
  const { end } = await drive(dying, plainBox(), site, { prompt: 'Go.' })
  assert.equal(end.ended, 'failed')
  assert.match('error' in end ? end.error : '', /cannot find its libraries/)
})

test('one that says nothing at all can be cancelled', async () => {
  const silent = acpAgent({
    ...launch,
    command: ['/bin/sh', '-c', 'echo started > ../out/started; exec sleep 60'],
  })
  const cancel = new AbortController()
  const turn = drive(silent, plainBox(), site, { prompt: 'Go.', cancelled: cancel.signal })
  const started = path.join(site.out, 'started')
  while (!existsSync(started)) await wait(10)
  cancel.abort()
  assert.deepEqual((await turn).end, { ended: 'cancelled' })
})
