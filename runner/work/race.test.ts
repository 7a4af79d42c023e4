import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Agent } from '../agents/agent.ts'
import { plainBox } from '../test/plain-box.ts'
import { reported, type Step, Workbench } from '../test/workbench.ts'

const bench = new Workbench({ after }, plainBox(), { 'README.md': 'A shop.\n' })
const [scripted] = bench.shop.agents as [Agent]
bench.shop.agents.push({
  ...scripted,
  executor: { name: 'codex', via: 'scripted', version: '1.0', access: 'gateway' },
})

/** Says what it finds in its home, and leaves something there. */
const looksAround = (name: string): Step[] => [
  { run: `echo "found: $(ls "$HOME")." && touch "$HOME/${name}"` },
  { write: `${name}.txt`, text: `${name}\n` },
]

test('each agent of a race has a home of its own, which stays until the run is handed off', async () => {
  const order = bench.order()
  const homes = path.join(bench.shop.data, 'homes', order.run)
  const first = await bench.work(order, { implement: [looksAround('first')] })
  const second = await bench.work({ ...order, executor: 'codex' }, { implement: [looksAround('second')] })
  const again = await bench.work(order, { implement: [looksAround('third')] })
  assert.deepEqual(
    // The command itself is in the log as well.
    [first, second, again].map(({ log }) => [...log.matchAll(/found: (.*)\./g)].at(-1)?.[1]),
    ['', '', 'first'],
  )
  assert.deepEqual(readdirSync(homes).sort(), ['codex', order.executor].sort())

  const { work } = reported(first, 'change_ready')
  await bench.work({ ...order, stage: 'handing_off', base: work!.base, work: work! })
  assert.equal(existsSync(homes), false)
})
