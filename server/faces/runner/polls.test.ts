import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { LastSeen } from '../../domain/engine/runners/last-seen.ts'
import type { KnownSession } from '../../domain/engine/runners/sessions.ts'
import { boxed } from '../../test/engine/runner.ts'
import { Polls } from './polls.ts'

const aSession = (number: number, labels: string[] = []) =>
  ({
    ...{ session: number, workspaceId: 'w', state: 'active', tokenId: 't', executors: [], features: [] },
    ...{ isolation: boxed, labels, git: null, teamIds: [] },
  }) as unknown as KnownSession
const hour = 3_600_000

function somePolls(t: TestContext) {
  const polls = new Polls({ lives: { note: () => {} } as unknown as LastSeen } as ConstructorParameters<
    typeof Polls
  >[0])
  // What still waits would keep the process.
  t.after(() => polls.close())
  const since = { doubts: polls.doubts, version: polls.version('w') }
  const gone = new AbortController().signal
  const wait = (session = aSession(1), isFull = false) => {
    const waiting = { session, ask: `ask-${session.session}`, mostMs: hour, gone, isFull }
    return polls.wait(waiting, { ...since, version: polls.version('w') })
  }
  return { polls, wait }
}

test('a token that was revoked before the wait began ends it at once', async (t) => {
  const { polls, wait } = somePolls(t)
  polls.onInvalidated()
  assert.equal(await wait(), 'doubt')
})

test('a token that is revoked while a runner waits ends the wait', async (t) => {
  const { polls, wait } = somePolls(t)
  const waiting = wait()
  polls.onInvalidated()
  assert.equal(await waiting, 'doubt')
})

test('a second wait of the same session ends the first', async (t) => {
  const { polls, wait } = somePolls(t)
  const first = wait()
  const second = wait()
  assert.equal(await first, 'replaced')
  polls.close()
  assert.equal(await second, 'closing')
})

/** Runners that wait, and what becomes of an offer: each that is called looks, and finds one of `orders` or nothing. */
function aFleet(
  t: TestContext,
  sessions: KnownSession[],
  canTake: (session: KnownSession) => boolean = () => true,
) {
  const { polls, wait } = somePolls(t)
  const looks: number[] = []
  const given: number[] = []
  let orders = 0
  const live = async (session: KnownSession) => {
    const ask = `ask-${session.session}`
    polls.noteLook(session, ask, { version: polls.version('w'), isNoneForKind: false })
    while ((await wait(session)) === 'called') {
      const version = polls.version('w')
      looks.push(session.session)
      if (orders > 0 && canTake(session)) {
        orders -= 1
        given.push(session.session)
        polls.forget(session.session)
        polls.noteLook(session, ask, { version: -1, isNoneForKind: false })
      } else polls.noteLook(session, ask, { version, isNoneForKind: true })
      polls.callNext('w')
    }
  }
  for (const session of sessions) void live(session)
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const offer = async (count: number) => {
    orders += count
    polls.onNews('offered w')
    await settled()
  }
  return { looks, given, offer }
}

test('an offer calls a few of a thousand runners that wait, and each gets an order before one gets a second', async (t) => {
  const { looks, given, offer } = aFleet(
    t,
    Array.from({ length: 1_000 }, (_, number) => aSession(number)),
  )
  for (let round = 0; round < 10; round += 1) await offer(100)
  assert.equal(given.length, 1_000)
  assert.equal(new Set(given).size, 1_000)
  assert.ok(looks.length <= 1_000 + 10 * 8, `${looks.length} looks`)
})

test('an order that only the last of a thousand runners can take reaches it, past one of each other kind', async (t) => {
  const others = Array.from({ length: 999 }, (_, number) => aSession(number, [`kind-${number % 3}`]))
  const able = aSession(999, ['gpu'])
  const { looks, given, offer } = aFleet(t, [...others, able], ({ labels }) => labels.includes('gpu'))
  await offer(1)
  assert.deepEqual(given, [999])
  assert.ok(looks.length <= 20, `${looks.length} looks`)
})

test('runners that could take nothing are not called: without a free slot, or paused', async (t) => {
  const { polls, wait } = somePolls(t)
  const paused = { ...aSession(3), state: 'paused' } as KnownSession
  const idle = [wait(aSession(1), true), wait(aSession(2), true), wait(paused)]
  const able = wait(aSession(4))
  polls.onNews('offered w')
  assert.equal(await able, 'called')
  polls.callNext('w')
  assert.equal(await Promise.race([...idle, new Promise((resolve) => setImmediate(resolve, 'none'))]), 'none')
})

test('a runner that has had an order and asks again lines up behind those like it that wait', async (t) => {
  const { polls, wait } = somePolls(t)
  const look = (session: KnownSession, isNoneForKind = true) =>
    polls.noteLook(session, `ask-${session.session}`, { version: polls.version('w'), isNoneForKind })
  const [first, again, other] = [aSession(1), aSession(2), aSession(3, ['gpu'])]
  look(first)
  const waiting = wait(first)
  polls.forget(again.session)
  assert.equal(polls.isBehind(again), true, 'the news of an offer may be on its way')
  assert.equal(polls.isBehind(other), false, 'no one of its kind waits')
  polls.noteBehind(again, 'ask-2')
  const inLine = wait(again)
  polls.onNews('offered w')
  assert.equal(await waiting, 'called')
  assert.equal(await inLine, 'called', 'and has its turn')
  // One that was given nothing for a reason of its own holds no one up.
  look(first, false)
  void wait(first)
  assert.equal(polls.isBehind(again), false)
})

test('who lines up when the others have had their turn already is called all the same', async (t) => {
  const { polls, wait } = somePolls(t)
  polls.onNews('offered w')
  polls.noteBehind(aSession(2), 'ask-2')
  assert.equal(await wait(aSession(2)), 'called')
})
