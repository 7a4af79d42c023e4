import { randomUUID } from 'node:crypto'
import { rawKey } from '@signalbox/contract/dsse.ts'
import {
  Acquired,
  Beaten,
  Credential,
  type Order,
  Received,
  Registered,
} from '@signalbox/contract/runner/messages.ts'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { NotReached } from './honest-work.ts'
import { Liar, lies, slots } from './lying-runner.ts'
import { hashOf, type Reply, ScriptedRunner } from './scripted-runner.ts'

/** One thing that a server must do. What it finds wrong it says in a sentence. */
interface Check {
  name: string
  play(runner: ScriptedRunner, order: Order): Promise<string[]>
}

export interface Checked {
  name: string
  breaches: string[]
  /** Why it could not be tried. */
  skipped: string | null
}

/** The mirror image of the scenarios: plays a runner against any server that has one order to offer. */
export async function checkServer(url: string, token: string): Promise<Checked[]> {
  const results: Checked[] = []
  for (const { name, play } of standing)
    results.push({ name, breaches: await tried(() => play(new ScriptedRunner(url, token))), skipped: null })
  const runner = new ScriptedRunner(url, token)
  const ask = randomUUID()
  await runner.register()
  const offered = await runner.acquire(ask)
  // It has not said that it knows surveys, so what it is given is a stage.
  const order = offered.status === 200 ? ((offered.body as Partial<Acquired>).order as Order) : null
  const skipped = order
    ? null
    : `No order was offered (status ${offered.status}). Have a run wait for the agent "scripted".`
  const all = [sameAskAgain(ask, offered), ...working]
  for (const { name, play } of all)
    results.push({ name, breaches: order ? await tried(() => play(runner, order)) : [], skipped })
  return results
}

/** A runner that lies. Most lies use a run up, so as many should wait as there are lies. */
export async function checkLies(url: string, token: string, only = ''): Promise<Checked[]> {
  const results: Checked[] = []
  const liar = new Liar(url, token)
  await liar.register({ slots })
  for (const { name, orders: needed, tell } of lies.filter((lie) => lie.name.includes(only))) {
    const orders: Order[] = []
    while (orders.length < needed) {
      const order = await liar.next()
      if (!order) break
      orders.push(order)
    }
    await liar.beatAll(...orders)
    const lacks = orders.length < needed ? `It takes ${needed} orders; ${orders.length} were offered.` : null
    results.push({
      name,
      ...(lacks ? { breaches: [], skipped: lacks } : await told(() => tell(liar, orders))),
    })
    for (const order of orders) await liar.giveUp(order)
  }
  await liar.call('leave', {})
  return results
}

/** What could not be tried, because the run came to a person before, is no breach. */
async function told(tell: () => Promise<string[]>): Promise<Pick<Checked, 'breaches' | 'skipped'>> {
  try {
    return { breaches: await tell(), skipped: null }
  } catch (error) {
    if (error instanceof NotReached) return { breaches: [], skipped: error.message }
    return { breaches: [(error as Error).message], skipped: null }
  }
}

async function tried(play: () => Promise<string[]>): Promise<string[]> {
  try {
    return await play()
  } catch (error) {
    return [`${(error as Error).message}`]
  }
}

const status = (told: Reply, ...wanted: number[]) =>
  wanted.includes(told.status) ? [] : [`answered ${told.status}, not ${wanted.join(' or ')}`]
const shape = (told: Reply, schema: TSchema) => {
  if (Value.Check(schema, Value.Clean(schema, structuredClone(told.body)))) return []
  const [fault] = Value.Errors(schema, told.body)
  return [`the answer is not of the contract: ${fault?.instancePath} ${fault?.message}`]
}
const says = (told: Reply, field: string, wanted: unknown) =>
  told.body[field] === wanted
    ? []
    : [`${field} is ${JSON.stringify(told.body[field])}, not ${JSON.stringify(wanted)}`]
const verdictOf = (told: Reply, run: string) =>
  (told.body as Partial<Beaten>).orders?.find((order) => order.run === run)?.verdict

/** What needs no order. */
const standing: { name: string; play(runner: ScriptedRunner): Promise<string[]> }[] = [
  {
    name: 'A token that is none is refused with 401',
    play: async (runner) => status(await runner.call('register', {}, { token: `tk_${'0'.repeat(32)}` }), 401),
  },
  {
    name: 'Register answers a session, intervals and limits',
    play: async (runner) => {
      const told = await runner.register()
      return [...status(told, 200), ...shape(told, Registered)]
    },
  },
  {
    name: 'Registered twice by the same process, it is the same runner',
    play: async (runner) => {
      const [first, second] = [await runner.register(), await runner.register()]
      return [...status(second, 200), ...says(second, 'runner', first.body.runner)]
    },
  },
  {
    name: 'A second process for a runner that lives is refused with 409 and told when to try again',
    play: async (runner) => {
      await runner.register()
      await runner.beat()
      runner.boot = randomUUID()
      const told = await runner.register()
      const after = told.headers.get('retry-after') ?? ''
      return [...status(told, 409), ...(/^\d+$/.test(after) ? [] : [`Retry-After is "${after}"`])]
    },
  },
  {
    name: 'A registration that is not signed is refused with 426',
    play: async (runner) => status(await runner.register({ proof: undefined }), 426),
  },
  {
    name: 'A registration that another key has signed is refused with 403',
    play: async (runner) => {
      const other = new ScriptedRunner(runner.url, runner.token)
      return status(await runner.register({ evidenceKey: rawKey(other.key) }), 403)
    },
  },
  {
    name: 'A registration that was overheard is good for nothing: not again, and not for another start',
    play: async (runner) => {
      const proof = await runner.proof()
      const first = await runner.register({ proof })
      const again = await runner.register({ proof })
      const other = await runner.register({ proof: await runner.proof(), boot: randomUUID() })
      return [...status(first, 200), ...status(again, 409), ...status(other, 403, 409)]
    },
  },
  {
    name: 'An instance belongs to its key: with another one it is refused with 403, also when it has left',
    play: async (runner) => {
      await runner.register()
      const own = runner.key
      runner.key = new ScriptedRunner(runner.url, runner.token).key
      const taken = await runner.register()
      await runner.call('leave', {})
      const later = await runner.register()
      runner.key = own
      runner.boot = randomUUID()
      return [...status(taken, 403), ...status(later, 403), ...status(await runner.register(), 200)]
    },
  },
  {
    name: 'Fields that the server does not know are ignored',
    play: async (runner) => status(await runner.register({ weather: 'fine' }), 200),
  },
  {
    name: 'A protocol that the server does not speak is refused with 426',
    play: async (runner) => status(await runner.register({ protocol: { least: 9_000, most: 9_001 } }), 426),
  },
  {
    name: 'A call without a session is refused',
    play: async (runner) => status(await runner.beat(), 400, 409),
  },
  {
    name: 'What it holds and the server does not know of is to be stopped',
    play: async (runner) => {
      const told = await runner.register({ holds: [{ run: 'run-0000', fence: 1, state: 'working' }] })
      const [hold] = (told.body as Partial<Registered>).holds ?? []
      return hold?.verdict === 'stop' ? [] : [`the verdict is ${JSON.stringify(hold)}`]
    },
  },
  {
    name: 'A beat for an order that is not its own is answered with stop',
    play: async (runner) => {
      await runner.register()
      const told = await runner.beat({ run: 'run-0000', fence: 1 })
      return [
        ...status(told, 200),
        ...shape(told, Beaten),
        ...(verdictOf(told, 'run-0000') === 'stop' ? [] : ['no stop']),
      ]
    },
  },
  {
    name: 'A session that has left is over',
    play: async (runner) => {
      await runner.register()
      const left = await runner.call('leave', {})
      return [...status(left, 204), ...status(await runner.beat(), 409)]
    },
  },
]

const sameAskAgain = (ask: string, first: Reply): Check => ({
  name: 'The same ask gets the same order again',
  play: async (runner, order) => {
    const told = await runner.acquire(ask)
    const again = (told.body as Partial<Acquired>).order
    const isSame = again?.run === order.run && again.fence === order.fence
    return [...shape(first, Acquired), ...status(told, 200), ...(isSame ? [] : ['it is another order'])]
  },
})

const said = (message: string) => ({ type: 'progress', message })

/** What an order is needed for. They are played one after the other, on the same one. */
const working: Check[] = [
  {
    name: 'A beat for its order is answered with go_on',
    play: async (runner, order) => {
      const told = await runner.beat(order)
      return [...shape(told, Beaten), ...(verdictOf(told, order.run) === 'go_on' ? [] : ['no go_on'])]
    },
  },
  {
    name: 'Reports are taken in order, and the next number is said',
    play: async (runner, order) => {
      const told = await runner.report(order, [1, said('one')], [2, said('two')])
      return [...status(told, 200), ...shape(told, Received), ...says(told, 'next', 3)]
    },
  },
  {
    name: 'A repeated report counts once',
    play: async (runner, order) => {
      const told = await runner.report(order, [2, said('two')])
      return [...status(told, 200), ...says(told, 'next', 3)]
    },
  },
  {
    name: 'A gap is refused with 409 and the number that is wanted',
    play: async (runner, order) => {
      const told = await runner.report(order, [5, said('five')])
      return [...status(told, 409), ...says(told, 'next', 3)]
    },
  },
  {
    name: 'Repeated and new reports in one call are taken together',
    play: async (runner, order) => {
      const told = await runner.report(order, [1, said('one')], [2, said('two')], [3, said('three')])
      return [...status(told, 200), ...says(told, 'next', 4)]
    },
  },
  {
    name: 'An event that the server does not know is refused by name',
    play: async (runner, order) => {
      const told = await runner.report(order, [4, { type: 'danced' }])
      const isNamed = JSON.stringify(told.body).includes('danced')
      return [...status(told, 400, 422), ...(isNamed ? [] : ['the answer does not name it'])]
    },
  },
  {
    name: 'The log comes compressed, in numbered chunks, each counted once',
    play: async (runner, order) => {
      const first = await runner.log(order, 1, 'a line')
      const again = await runner.log(order, 1, 'a line')
      const gap = await runner.log(order, 9, 'far ahead')
      return [
        ...[...status(first, 200), ...says(first, 'next', 2)],
        ...[...status(again, 200), ...says(again, 'next', 2)],
        ...[...status(gap, 409), ...says(gap, 'next', 2)],
      ]
    },
  },
  {
    name: 'A file is kept under its hash, and no other bytes are',
    play: async (runner, order) => {
      const bytes = Buffer.from(`a file ${randomUUID()}`)
      const [first, again] = [await runner.keep(order, bytes), await runner.keep(order, bytes)]
      const wrong = await runner.keep(order, Buffer.from('other bytes'), hashOf(bytes))
      const back = await runner.fetchFile(order, hashOf(bytes))
      return [
        ...[...status(first, 201), ...status(again, 200), ...status(wrong, 422), ...status(back, 200)],
        ...(back.bytes.equals(bytes) ? [] : ['other bytes came back']),
      ]
    },
  },
  {
    name: 'A credential to read is given to the current fence',
    play: async (runner, order) => {
      const told = await runner.call(`orders/${order.run}/${order.fence}/credential`, {
        for: 'git',
        access: 'read',
      })
      return [...status(told, 200), ...shape(told, Credential)]
    },
  },
  {
    name: 'Where git goes through the server, its credential lets it read, and nothing more',
    play: async (runner, order) => {
      const told = await runner.call(`orders/${order.run}/${order.fence}/credential`, {
        for: 'git',
        access: 'read',
      })
      const { address = '', header } = told.body as Partial<Credential>
      if (!address.startsWith('orders/')) return []
      const token = `${header}`.split(' ').at(-1)!
      const refs = (service: string, given: string) =>
        runner.call(`${address}/info/refs?service=${service}`, null, { method: 'GET', token: given })
      return [
        ...status(await refs('git-upload-pack', token), 200),
        ...status(await refs('git-receive-pack', token), 403),
        ...status(await refs('git-upload-archive', token), 400, 403, 404),
        ...status(await refs('git-upload-pack', `${token}x`), 401, 403),
        ...status(await runner.call(`${address}/HEAD`, null, { method: 'GET', token }), 403, 404),
      ]
    },
  },
  {
    name: 'Under another fence everything is refused with 409',
    play: async (runner, order) => {
      const other = { run: order.run, fence: order.fence + 1 }
      const answers = [
        await runner.report(other, [1, said('one')]),
        await runner.log(other, 1, 'a line'),
        await runner.keep(other, Buffer.from('a file')),
        await runner.call(`orders/${other.run}/${other.fence}/credential`, { for: 'git', access: 'write' }),
      ]
      return answers.flatMap((told) => status(told, 409))
    },
  },
  {
    name: 'Registered again with what it holds, it may go on',
    play: async (runner, order) => {
      const told = await runner.register({
        holds: [{ run: order.run, fence: order.fence, state: 'working' }],
      })
      const [hold] = (told.body as Partial<Registered>).holds ?? []
      return [...status(told, 200), ...(hold?.verdict === 'go_on' ? [] : ['no go_on'])]
    },
  },
  {
    name: 'Left, its order is handed back and no longer its own',
    play: async (runner, order) => {
      const left = await runner.call('leave', {})
      return [...status(left, 204), ...status(await runner.report(order, [4, said('late')]), 409)]
    },
  },
]
