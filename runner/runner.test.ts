import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfig } from './config.ts'
import { PlayServer } from './conformance/play-server.ts'
import { rehearsedWork } from './conformance/rehearsed-work.ts'
import type { OrderSketch } from './conformance/scenario.ts'
import { Trash } from './disk/trash.ts'
import { WorkFailed } from './orders/order-context.ts'
import { type RunnerOptions, startRunner } from './runner.ts'
import { plainBox } from './test/plain-box.ts'

const token = `tk_${'process'.padEnd(32, '0')}`
const pace = 0.05
const finished: OrderSketch = { rehearsal: [{ report: { type: 'finished' } }] }

async function started(
  t: TestContext,
  orders: OrderSketch[],
  options: Partial<RunnerOptions> = {},
  args: string[] = [],
) {
  const data = await mkdtemp(path.join(tmpdir(), 'runner-'))
  const server = new PlayServer({ token, pace, orders })
  await server.listen()
  const said: string[] = []
  const config = readConfig(['--url', server.url, '--data', data, ...args], {
    SERVICE_API_KEY: token,
    SIGNALBOX_RUNNER_PACE: `${pace}`,
  })
  const runner = startRunner(config, {
    executors: [],
    isolation: plainBox().isolation,
    work: rehearsedWork(pace),
    say: (line) => said.push(line),
    ...options,
  })
  t.after(async () => {
    runner.handBack()
    await runner.ended
    await server.goAway()
    await rm(data, { recursive: true, force: true })
  })
  const called = async (call: string, times: number) => {
    while (server.recorded.filter((other) => other.call === call).length < times)
      await once(server.events, 'called')
  }
  return { server, runner, said, data, config, called }
}

test('with a full disk no work is taken, and it is said once; with room it is taken', async (t) => {
  let free = 100_000_000
  const { server, said, called } = await started(t, [finished], { diskFree: () => free })
  await called('beat', 3)
  assert.equal(server.orders[0]!.state, 'offered')
  assert.equal(said.filter((line) => line.includes('almost full')).length, 1)
  free = 5_000_000_000
  await called('reports', 1)
  assert.ok(said.includes('There is enough disk space again.'))
})

test('an ephemeral runner takes one order, delivers all of it, says goodbye and ends with 0', async (t) => {
  const orders = [{ rehearsal: [{ print: 'hello' }, ...finished.rehearsal] }, finished]
  const { server, runner } = await started(t, orders, {}, ['--ephemeral'])
  assert.deepEqual(await runner.ended, { exitCode: 0, why: null })
  const [first, second] = server.orders
  assert.deepEqual([...first!.reports.values()].at(-1), { type: 'finished' })
  assert.ok([...first!.log.values()].flat().includes('hello'))
  assert.equal(second!.state, 'offered')
  assert.equal(server.recorded.at(-1)!.call, 'leave')
})

test('an ephemeral runner that gets no order leaves after --idle-seconds, and ends with 0', async (t) => {
  const { server, runner, said } = await started(t, [], {}, ['--ephemeral', '--idle-seconds', '2'])
  assert.deepEqual(await runner.ended, { exitCode: 0, why: null })
  assert.equal(server.recorded.at(-1)!.call, 'leave')
  assert.ok(said.includes('No order came within 2 seconds.'))
})

test('an order that fails is said with its first line, masked, and an ephemeral runner still ends with 0', async (t) => {
  const work = () => Promise.reject(new WorkFailed(`There was no plan for ${token}.\nMore.`, 'persistent'))
  const { runner, said } = await started(t, [finished], { work }, ['--ephemeral'])
  assert.deepEqual(await runner.ended, { exitCode: 0, why: null })
  assert.ok(said.includes('run-aaa1: failed. There was no plan for ***.'), said.join('\n'))
})

test('a second process in the same folder is refused', async (t) => {
  const { config } = await started(t, [])
  const equipment = { executors: [], isolation: plainBox().isolation }
  const other = () => startRunner(config, { ...equipment, work: rehearsedWork(pace), say: () => {} })
  assert.throws(other, /Another runner .* --data/)
})

test('the folder of an order is empty again when its work is over, and its spool is kept', async (t) => {
  const { called, data, runner } = await started(t, [
    { rehearsal: [{ print: 'hello' }, ...finished.rehearsal] },
  ])
  await called('reports', 1)
  runner.drain()
  assert.deepEqual(await runner.ended, { exitCode: 0, why: null })
  const spool = path.join(data, 'orders', 'run-aaa1.1')
  assert.deepEqual(
    ['work', 'order.json', 'reports.ndjson', 'log.ndjson', 'acked.json'].map((name) =>
      existsSync(path.join(spool, name)),
    ),
    [false, true, true, true, true],
  )
  assert.ok(!existsSync(path.join(data, 'lock')))
})

test('what work still prints and reports when its order is over is left out, and the runner takes the next order', async (t) => {
  const late: (() => void)[] = []
  const work: RunnerOptions['work'] = async (order, context) => {
    for (const say of late.splice(0)) say()
    late.push(() => {
      context.print('late')
      assert.throws(() => context.report({ type: 'usage', amount: 1, currency: 'EUR' }), /after the end/)
    })
    await rehearsedWork(pace)(order, context)
  }
  const { server, called, runner } = await started(t, [finished, finished, finished], { work })
  await called('reports', 3)
  runner.drain()
  await runner.ended
  const logs = server.orders.flatMap(({ log }) => [...log.values()].flat())
  assert.ok(!logs.includes('late'), logs.join('\n'))
})

test('a runner that leaves holds its folder until nothing more is removed in it', async (t) => {
  const data = await mkdtemp(path.join(tmpdir(), 'trash-'))
  t.after(() => rm(data, { recursive: true, force: true }))
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const trash = new Trash(path.join(data, 'trash'), () => {
    begun.resolve()
    return released.promise
  })
  const { called, config, runner, server } = await started(t, [finished], { trash })
  await begun.promise
  runner.handBack()
  await called('leave', 1)
  // By the time another call has been refused it knows that it has left.
  await server.goAway()
  await assert.rejects(fetch(server.url))
  assert.ok(existsSync(path.join(config.data, 'lock')))
  released.resolve()
  await runner.ended
  assert.ok(!existsSync(path.join(config.data, 'lock')))
})

test('a path is reported as it is although a secret is in it, and the log says so without the secret; texts are masked', async (t) => {
  const paths = [`src/${token}/rule.ts`, 'src/Authorization/rule.ts']
  const plan = { type: 'plan_ready', plan: `Move ${token}.`, paths, risk: 'low', lines: 3 } as const
  const { server } = await started(t, [{ rehearsal: [{ push: true }, { report: plan }] }])
  const order = server.orders[0]!
  while (order.reports.size === 0 || order.log.size === 0) await once(server.events, 'called')
  assert.deepEqual(order.reports.get(1), { ...plan, plan: 'Move ***.' })
  const lines = [...order.log.values()].flat()
  assert.equal(lines[0], 'pushed with Authorization: Basic ***')
  const told = lines.filter((line) => line.includes('one of the secrets'))
  assert.deepEqual(told, [
    'src/***/rule.ts contains one of the secrets of this runner, and was reported as it is. Rename it, or change the secret.',
  ])
})
