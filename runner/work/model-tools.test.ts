import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { after, test } from 'node:test'
import type { ModelTool } from '@signalbox/contract/model-tools.ts'
import { codexAgent } from '../agents/codex.ts'
import { measureBox } from '../box/measure.ts'
import { reported, Workbench } from '../test/workbench.ts'

const { box } = await measureBox()
const skip = box.isolation.backend === 'bubblewrap' ? false : 'bubblewrap is not there'

const plan = { plan: 'Add a greeting.', paths: ['greeting.txt'], risk: 'low', lines: 1 }

/** Asks its model to search the web, and says what it found. */
const source = `
  import { readFileSync, writeFileSync } from 'node:fs'
  const tell = (event) => console.log(JSON.stringify(event))
  const say = (text) => tell({ type: 'item.completed', item: { id: text, type: 'agent_message', text } })
  const config = readFileSync(process.env.HOME + '/.codex/config.toml', 'utf8')
  const [, base] = /base_url = "(.*)"/.exec(config)
  const answer = await fetch(base + '/responses', {
    method: 'POST',
    body: JSON.stringify({ model: 'gpt-5-mini', input: 'hello', max_output_tokens: 500, tools: [{ type: 'web_search' }] }),
  })
  say('search: ' + answer.status + ' ' + (await answer.text()) + ' off by itself: ' + config.includes('web_search = "disabled"'))
  writeFileSync('/out/plan.json', ${JSON.stringify(JSON.stringify(plan))})
  tell({ type: 'thread.started', thread_id: 'th-1' })
  tell({ type: 'turn.completed', usage: {} })
`

async function work(modelTools: ModelTool[] | undefined) {
  const asked: { tools: object[]; max_tool_calls: number }[] = []
  const output = [{ type: 'web_search_call' }, { type: 'web_search_call' }, { type: 'message' }]
  const model = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked.push(JSON.parse(body))
    const usage = { input_tokens: 20_000, output_tokens: 400 }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ model: 'gpt-5-mini', status: 'completed', output, usage }))
  })
  model.listen(0, '127.0.0.1')
  await once(model, 'listening')
  after(() => model.close())
  const bench = new Workbench({ after }, box, { 'README.md': 'A shop.\n' })
  const file = path.join(bench.folder, 'agent.mjs')
  writeFileSync(file, source)
  const agent = codexAgent({ command: [process.execPath, file], version: '1.0.0', readable: [file] })
  const executor = { ...agent.executor, access: 'gateway' as const }
  const upstreams = {
    openai: { base: `http://127.0.0.1:${(model.address() as AddressInfo).port}`, key: 'k' },
  }
  Object.assign(bench.shop, { agents: [{ ...agent, executor }], upstreams })
  const order = bench.order({ stage: 'planning' })
  const came = await bench.work({
    ...order,
    executor: executor.name,
    policy: { ...order.policy, ...(modelTools ? { modelTools } : {}) },
  })
  return { came, asked }
}

test('a model provider does not search the web for an agent, unless the policy names it', {
  skip,
}, async () => {
  const { came, asked } = await work(undefined)
  assert.match(came.log, /search: 400 .*tools\[0\].*add web_search to the policy.*off by itself: true/s)
  assert.deepEqual(asked, [])
  assert.deepEqual(reported(came, 'begun').isolation, box.isolation)
})

test('where the policy names it, the search is bounded and booked, and the record no longer says that the network is closed', {
  skip,
}, async () => {
  const { came, asked } = await work(['web_search'])
  assert.match(came.log, /search: 200 .*off by itself: false/s)
  assert.equal(asked[0]!.max_tool_calls, 5)
  assert.deepEqual(reported(came, 'begun').isolation, { ...box.isolation, networkOnlyToGateway: false })
  // 20,000 tokens at 0.25 and 400 at 2 dollars a million, and two searches at a cent each.
  const { amount, source: from, input, output } = reported(came, 'usage')
  assert.ok(Math.abs(amount - (0.005 + 0.0008 + 0.02)) < 1e-9, `${amount}`)
  assert.deepEqual([from, input, output], ['gateway', 20_000, 400])
})
