import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Acquired, Order } from '@signalbox/contract/runner/messages.ts'
import { housekeeping } from '../server/domain/record/audit/change.ts'
import type { Connection } from '../server/infra/db/embedded.ts'
import { TestRunner } from '../server/test/engine/runner.ts'
import { aToken } from '../server/test/factories.ts'
import { tables } from '../server/test/tables.ts'
import { type Figure, median } from './figures.ts'
import { processorSeconds } from './process.ts'
import { aWorkingTeam } from './runners.ts'
import { openSite } from './site.ts'

/** A token is good for 250 runners. */
const fleet = { runners: 1_000, perToken: 200, teams: 10, atOnce: 5 }
const idleSeconds = 30
const load = { ordersASecond: 10, seconds: 40 }
const held = fleet.teams * fleet.atOnce

interface Given {
  team: string
  runner: number
  /** From the moment at which the order was offered until the runner has it. */
  waitedMs: number
}

/** A kept connection may be closed by the server at the moment in which it is used again; runners then ask again. */
async function insist<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof TypeError) || tries === 5) throw error
    }
}

/**
 * Many runners that wait for work, of the same kind, and orders that come at a pace: what the server takes for it, how
 * soon a runner has the order, and whether all runners and teams get their share.
 */
export async function fleetFigures(cluster: Connection): Promise<Figure[]> {
  const site = await openSite(cluster, 'bench_fleet')
  const orders = load.ordersASecond * load.seconds
  for (let number = 0; number < fleet.teams; number += 1)
    await aWorkingTeam(site, {
      ...{ slug: `fleet-${number}`, address: '/srv/git/none.git', atOnce: fleet.atOnce },
      stories: Math.ceil((orders + 2 * held) / fleet.teams),
    })
  const pause = (paused: boolean) =>
    housekeeping(site.database.db, 'the fleet is complete first', (tx) =>
      tables(tx)
        .updateTable('teams')
        .set({ paused_at: paused ? new Date() : null })
        .where('workspace_id', '=', site.owner.workspaceId)
        .execute(),
    )
  await pause(true)
  const server = await site.serve({ RUNNERS_PER_WORKSPACE: '2000' })
  const over = new AbortController()
  const given: Given[] = []
  const taken: { runner: TestRunner; order: Order; done: () => void }[] = []
  let failure: Error | null = null
  const offeredAt = async ({ run, fence }: Order) =>
    (
      await site.database.pool.query<{ at: Date }>(
        `select o.offered_at as at from work_orders o join runs r on r.id = o.run_id
        where r.key = $1 and o.fence = $2`,
        [run, fence],
      )
    ).rows[0]!.at.getTime()
  /** As ours does: the next poll when one is over, and none while it works. */
  const poll = async (runner: TestRunner, number: number) => {
    let ask = randomUUID()
    while (!over.signal.aborted) {
      const headers = { prefer: 'wait=30' }
      const response = await insist(() =>
        runner.call('acquire', { ask, free: 1 }, { headers, signal: over.signal }),
      )
      const at = Date.now()
      // A machine that is too busy for its database says so; a runner asks again.
      if (response.status === 503) await sleep(1_000)
      if (response.status === 204 || response.status === 503) continue
      if (response.status !== 200) throw new Error(`acquire: ${response.status} ${await response.text()}`)
      const order = ((await response.json()) as Acquired).order as Order
      ask = randomUUID()
      const { promise, resolve: done } = Promise.withResolvers<void>()
      given.push({ team: order.team, runner: number, waitedMs: at - (await offeredAt(order)) })
      taken.push({ runner, order, done })
      await promise
    }
  }
  const tokens: string[] = []
  while (tokens.length * fleet.perToken < fleet.runners)
    tokens.push((await aToken(site.owner, ['read'])).token)
  const runners = Array.from(
    { length: fleet.runners },
    (_, number) =>
      new TestRunner(server.url, tokens[number % tokens.length]!, { name: `fleet-${number}`, slots: 1 }),
  )
  // Machines do not start at the same moment.
  const polls: Promise<void>[] = []
  const unregistered = runners.entries()
  const register = async () => {
    for (const [number, runner] of unregistered) {
      await insist(() => runner.register())
      polls.push(
        poll(runner, number).catch((error) => {
          if (!over.signal.aborted) failure ??= error
        }),
      )
    }
  }
  await Promise.all(Array.from({ length: 4 }, register))
  await pause(false)
  // Each runner that registers wakes the teams.
  const last = new TestRunner(server.url, tokens[0]!, { name: 'last', labels: ['none'] })
  await insist(() => last.register())
  const beats = setInterval(() => {
    for (const { runner, order } of taken) runner.beat([order]).catch(() => {})
  }, 15_000)
  const until = async (isTrue: () => boolean) => {
    for (const begun = performance.now(); !isTrue(); await sleep(20))
      if (failure || performance.now() - begun > 300_000) throw failure ?? new Error('No order came.')
  }
  const share = async (work: () => Promise<unknown>) => {
    const [before, begun] = [await processorSeconds(server.pid), performance.now()]
    await work()
    return ((await processorSeconds(server.pid)) - before) / ((performance.now() - begun) / 1000)
  }
  await until(() => taken.length === held)
  await sleep(5_000)
  const idle = await share(() => sleep(idleSeconds * 1000))
  given.length = 0
  const busy = await share(async () => {
    for (let ended = 0; ended < orders; ended += 1) {
      const due = sleep(1000 / load.ordersASecond)
      await until(() => taken.length > 0)
      const { runner, order, done } = taken.shift()!
      const error = 'It cannot be done.'
      await insist(() => runner.report(order, [1, { type: 'failed', failureClass: 'persistent', error }]))
      done()
      await due
    }
    await until(() => given.length === orders)
  })
  clearInterval(beats)
  over.abort()
  for (const { done } of taken) done()
  await Promise.all(polls)
  await server.stop()
  await site.close()
  const waits = given.map(({ waitedMs }) => waitedMs).toSorted((one, other) => one - other)
  const p99 = waits[Math.floor(waits.length * 0.99)]!
  const perRunner = [...Map.groupBy(given, ({ runner }) => runner).values()].map((some) => some.length)
  const perTeam = [...Map.groupBy(given, ({ team }) => team).values()].map((some) => some.length)
  const [fewest, most] = [Math.min(...perTeam), Math.max(...perTeam)]
  const isFair = Math.max(...perRunner) <= 1 + Math.floor(orders / fleet.runners) && most - fewest <= 2
  return [
    {
      what: `${fleet.runners.toLocaleString('en')} runners that poll, ${held} of them with an order, over ${idleSeconds} s: processor of the server`,
      ours: `${(idle * 100).toFixed(1)} % of a core; with ${load.ordersASecond} orders a second ended and begun ${(busy * 100).toFixed(0)} %`,
      target: 'under half a core',
      met: idle < 0.5 && busy < 0.5,
    },
    {
      what: `An order, from its offer until one of ${fleet.runners.toLocaleString('en')} waiting runners has it, at ${load.ordersASecond} a second`,
      ours: `p50 ${median(waits).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${waits.at(-1)!.toFixed(0)} ms`,
      target: 'p99 under 300 ms',
      met: p99 < 300,
    },
    {
      what: `How ${orders} orders were spread over the runners and ${fleet.teams} teams`,
      ours: `${perRunner.length} runners got ${Math.min(...perRunner)} to ${Math.max(...perRunner)} each, each team had ${fewest} to ${most}`,
      target: 'no runner a second one while others wait, teams within 2',
      met: isFair,
    },
  ]
}
