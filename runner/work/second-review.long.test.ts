import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { after, test } from 'node:test'
import { type Envelope, keyFromRaw, opened } from '@signalbox/contract/dsse.ts'
import type { Order, RunnerExecutor } from '@signalbox/contract/runner/messages.ts'
import type { SecondReview, SecondReviewSettings } from '@signalbox/contract/second-review.ts'
import type { Agent, Turn } from '../agents/agent.ts'
import { measureBox } from '../box/measure.ts'
import type { OrderContext } from '../orders/order-context.ts'
import { temporaryFolder } from '../test/origin.ts'
import { plainBox } from '../test/plain-box.ts'
import { type Came, reported, type Step, Workbench } from '../test/workbench.ts'
import { leftBehind, Review } from './results.ts'
import { reviewChange, reviewerIn } from './second-review.ts'
import type { Site } from './site.ts'

const { box } = await measureBox()
const skip = box.isolation.backend === 'bubblewrap' ? false : 'bubblewrap is not there'

const bench = new Workbench({ after }, skip ? plainBox() : box, {
  'README.md': 'A shop.\n',
  '.kanman/gates.yml': 'gates:\n  - { name: test, run: test -f README.md }\n',
})
const [author] = bench.shop.agents as [Agent]
const turns: Turn[] = []
/** The script again, under the name of an agent with a vendor: it is metered as that one would be. */
const codex: Agent = {
  ...author,
  executor: { name: 'codex', via: 'scripted', version: '1.0', access: 'gateway' },
  turn(turn, inBox) {
    turns.push(turn)
    return author.turn(turn, inBox)
  },
}
bench.shop.agents.push(codex)

const greet: Step[] = [{ write: 'greeting.txt', text: 'Hello.\n' }]
let made: Promise<Order> | null = null
/** What there is to verify, made once. */
const change = () => {
  made ??= bench.work(bench.order(), { implement: [greet] }).then((came) => {
    const { work } = reported(came, 'change_ready')
    return bench.order({ stage: 'verifying', base: work!.base, work: work! })
  })
  return made
}

const finding = { severity: 'high', file: 'greeting.txt', line: 1, says: 'It greets no one.' } as const
const silent = { model: null, holdsMerge: false }
const answer = (json: unknown): Step => ({ result: 'review.json', json })

async function review(
  steps: Step[],
  { settings = {}, order = {} }: { settings?: Partial<SecondReviewSettings>; order?: Partial<Order> } = {},
): Promise<{ came: Came; review: SecondReview | undefined; log: string }> {
  const verifying = { ...(await change()), ...order }
  const secondReview: SecondReviewSettings = { by: 'codex', model: null, holdsMerge: false, ...settings }
  const came = await bench.work(
    { ...verifying, policy: { ...verifying.policy, secondReview } },
    { implement: [greet], review: [steps] },
  )
  return { came, review: reported(came, 'gates_ran').evidence.secondReview, log: came.log }
}

test('another agent reads the change, and what it finds is part of the signed evidence', async () => {
  const found = await review([
    { say: 'See /out.' },
    answer({
      findings: [finding, { severity: 'low', file: null, line: null, says: 'A\u202e note.\nMore.' }],
    }),
  ])
  const { secondReview } = reported(found.came, 'gates_ran').evidence
  assert.deepEqual(secondReview, {
    ...{ result: 'reviewed', agent: 'codex', model: null, says: null },
    findings: [finding, { severity: 'low', file: null, line: null, says: 'A\\u{202e} note.\nMore.' }],
  })
  const envelope: Envelope = JSON.parse(bench.text(reported(found.came, 'gates_ran').envelope!))
  const statement = JSON.parse(opened(envelope, keyFromRaw(bench.shop.identity.publicKey)!)!.toString('utf8'))
  assert.deepEqual(statement.predicate.secondReview, secondReview)
  const { prompt, limits, readOnly, session } = turns.at(-1)!
  assert.match(prompt, /^> Greet people$/m)
  assert.match(prompt, /^> \+Hello\.$/m)
  assert.match(prompt, /denies changes of these paths: \.kanman\/acceptance\/\*\*, infra/)
  assert.deepEqual([readOnly, session, limits.network, limits.isWorktreeReadOnly], [true, null, 'none', true])
  // Its home is its own: what the author has left in the home of the run steers no one.
  assert.ok(limits.home.endsWith('/reviewer'), limits.home)
})

test('a reviewer cannot write to the worktree: each attempt fails, and the head is what it was', {
  skip,
}, async () => {
  const head = (await change()).work!.head
  const {
    came,
    review: found,
    log,
  } = await review([
    { write: 'greeting.txt', text: 'Bye.\n' },
    { write: 'new.txt', text: 'new\n' },
    { run: 'git commit --allow-empty -m mine' },
    answer({ findings: [] }),
  ])
  assert.equal(log.match(/read-only file system/gi)?.length, 3, log)
  assert.deepEqual(found, { result: 'reviewed', agent: 'codex', model: null, says: null, findings: [] })
  assert.equal(reported(came, 'gates_ran').evidence.commit, head)
})

test('without a box, what a reviewer changes is seen, and its findings do not count', async () => {
  const plain = new Workbench({ after }, plainBox(), { 'README.md': 'A shop.\n' })
  const made = await plain.work(plain.order(), { implement: [greet] })
  const { work } = reported(made, 'change_ready')
  const order = plain.order({ stage: 'verifying', base: work!.base, work: work! })
  const secondReview = { by: 'scripted', model: null, holdsMerge: false } as const
  const came = await plain.work(
    { ...order, policy: { ...order.policy, secondReview } },
    { review: [[{ write: 'greeting.txt', text: 'Bye.\n' }, answer({ findings: [finding] })]] },
  )
  const { evidence } = reported(came, 'gates_ran')
  assert.equal(evidence.secondReview!.result, 'unreadable')
  assert.match(evidence.secondReview!.says!, /changed the worktree.*discarded. Changed: greeting\.txt\./)
  assert.deepEqual(evidence.secondReview!.findings, [])
  assert.equal(evidence.commit, work!.head)
})

test('an answer that is not what was asked for is asked for once more, and then recorded as such', async () => {
  const { review: found, log } = await review([{ result: 'review.json', text: 'LGTM! {"findings": []}' }])
  assert.deepEqual([found!.result, found!.findings], ['unreadable', []])
  assert.match(
    found!.says!,
    /^The answer of the reviewing agent could not be used\. review\.json is not JSON\.$/,
  )
  assert.match(log, /Asked once more\./)
})

test('findings are taken as they were asked for, within their limits, or not at all', (t) => {
  const folder = temporaryFolder(t)
  const read = (text: string) => {
    writeFileSync(path.join(folder, 'review.json'), text)
    return leftBehind(folder, 'review.json', Review)
  }
  const wrong = (...findings: unknown[]) => read(JSON.stringify({ findings })) as { wrong: string }
  assert.match(wrong({ ...finding, severity: 'none' }).wrong, /\/findings\/0\/severity/)
  assert.match(wrong({ ...finding, says: 'x'.repeat(1_001) }).wrong, /\/findings\/0\/says/)
  assert.match(wrong({ ...finding, file: 'x'.repeat(1_001) }).wrong, /\/findings\/0\/file/)
  assert.match(wrong({ ...finding, line: 0 }).wrong, /\/findings\/0\/line/)
  assert.match(wrong({ ...finding, approve: true }).wrong, /\/findings\/0/)
  assert.match(wrong(...Array.from({ length: 51 }, () => finding)).wrong, /\/findings /)
  // A file without an end is none.
  assert.deepEqual(read(' '.repeat(1_000_001)), { missing: true })
  // What stands beside goes no further.
  assert.deepEqual(read(JSON.stringify({ findings: [finding], verdict: 'merge' })), {
    found: { findings: [finding] },
  })
})

test('a reviewer is metered by the gateway within the budget of the run, and without money there is no review', {
  skip,
}, async () => {
  let calls = 0
  const model = http.createServer((request, response) => {
    request.resume().on('end', () => {
      calls += 1
      response.setHeader('content-type', 'application/json')
      const usage = { input_tokens: 1_000, output_tokens: 100 }
      response.end(JSON.stringify({ type: 'message', model: 'claude-sonnet-4-5', content: [], usage }))
    })
  })
  model.listen(0, '127.0.0.1')
  await once(model, 'listening')
  after(() => model.close())
  const base = `http://127.0.0.1:${(model.address() as AddressInfo).port}`
  bench.shop.upstreams = { anthropic: { base, key: 'k' } }
  after(() => {
    bench.shop.upstreams = {}
  })
  const steps = [{ call: 'Is it right?' }, answer({ findings: [] })]
  const order = { budget: { eurMicros: 1_000_000, usdMicros: 1_000_000 } }
  const settings = { model: 'claude-sonnet-4-5' }
  const rich = await review(steps, { settings, order })
  assert.deepEqual([rich.review!.result, rich.review!.model, calls], ['reviewed', 'claude-sonnet-4-5', 1])
  const bill = reported(rich.came, 'usage')
  // 1,000 tokens at 3 and 100 at 15 dollars a million.
  assert.ok(Math.abs(bill.amount - 0.0045) < 1e-9, `${bill.amount}`)
  assert.deepEqual([bill.source, bill.input, bill.output], ['gateway', 1_000, 100])
  const poor = await review(steps, { settings, order: { budget: { eurMicros: 10, usdMicros: 10 } } })
  assert.deepEqual([poor.review!.result, calls], ['not_reviewed', 1])
  assert.match(poor.review!.says!, /^Not reviewed: The budget of the run is used up\.$/)
})

test('a review that does not come about is said, and never fails the order', async () => {
  const failed = await review([{ fail: 'The model is away.', transient: true }])
  assert.equal(failed.review!.says, 'Not reviewed: The model is away.')
  const { policy, ...order } = await change()
  const untouched = (settings: Partial<Order['policy']>) =>
    reviewChange(
      bench.shop,
      { ...order, policy: { ...policy, ...settings } },
      {} as OrderContext,
      {} as Site,
      null,
    )
  const held = await untouched({ secondReview: { by: 'codex', ...silent }, isolation: 'gvisor' })
  assert.match(held!.says!, /^Not reviewed: the policy requires the runner to .*gVisor/)
  const missing = await untouched({ secondReview: { by: 'gemini', ...silent } })
  assert.equal(missing!.says, 'Not reviewed: Gemini CLI is not available on this runner.')
  assert.equal(await untouched({ secondReview: { by: 'off', ...silent } }), undefined)
})

test('a change whose gates failed is not reviewed: it is going to be another one', async () => {
  const broken = await bench.work(bench.order(), { implement: [[{ delete: 'README.md' }]] })
  const { work } = reported(broken, 'change_ready')
  const before = turns.length
  const { came, review: none } = await review([answer({ findings: [] })], { order: { work: work! } })
  assert.equal(reported(came, 'gates_ran').gates[0]!.result, 'failed')
  assert.deepEqual([none, turns.length], [undefined, before])
})

test('the reviewer is the agent that the policy names, or one whose vendor is known to be another', () => {
  const offered = (...names: RunnerExecutor['name'][]) => ({
    agents: names.map((name) => ({ ...author, executor: { name, via: 'native', version: null } as const })),
  })
  const chosen = (
    by: SecondReviewSettings['by'],
    executor: Order['executor'],
    ...names: RunnerExecutor['name'][]
  ) => {
    const { policy } = bench.order()
    const secondReview = { by, model: null, holdsMerge: false }
    const found = reviewerIn(offered(...names), { executor, policy: { ...policy, secondReview } })
    return 'agent' in found ? found.agent.executor.name : found.missing
  }
  assert.equal(chosen('another_vendor', 'claude_code', 'claude_code', 'opencode', 'codex', 'gemini'), 'codex')
  assert.equal(
    chosen('another_vendor', 'codex', 'codex', 'opencode', 'command'),
    'no agent of another vendor is available on this runner.',
  )
  assert.match(chosen('another_vendor', 'opencode', 'opencode', 'codex'), /Name the reviewing agent/)
  assert.equal(chosen('opencode', 'codex', 'codex', 'opencode'), 'opencode')
  assert.equal(chosen('gemini', 'codex', 'codex'), 'Gemini CLI is not available on this runner.')
})
