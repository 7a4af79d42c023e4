import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
import { pollMs, watchLiveness } from './liveness.ts'
import { keepStream, silenceMs } from './stream.ts'

/** A browser's, as far as it is used: what the server does with it is told to it by hand. */
class FakeSource extends EventTarget {
  static readonly CLOSED = 2
  static all: FakeSource[] = []
  readyState = 0
  onopen = () => {}
  onerror = () => {}
  readonly address: string
  constructor(address: string) {
    super()
    this.address = address
    FakeSource.all.push(this)
  }
  close() {
    this.readyState = FakeSource.CLOSED
  }
  say(event: string, data = '{}') {
    this.dispatchEvent(Object.assign(new Event(event), { data }))
  }
}

describe('live updates', () => {
  const { EventSource } = globalThis
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    Object.assign(globalThis, { EventSource: FakeSource })
    FakeSource.all = []
  })
  afterEach(() => {
    mock.timers.reset()
    Object.assign(globalThis, { EventSource })
  })

  function aStream() {
    const heard: string[] = []
    const stream = keepStream({
      address: () => '/events',
      on: { changed: (data) => heard.push(data) },
      onHeard: (isNew) => heard.push(isNew ? 'heard anew' : 'heard'),
      onBroken: () => heard.push('broken'),
      onRefused: () => heard.push('refused'),
    })
    return { heard, stream, latest: () => FakeSource.all.at(-1)! }
  }

  test('a stream that is held open and silent is given up for a new one', () => {
    const { heard, latest } = aStream()
    latest().onopen()
    mock.timers.tick(silenceMs - 1)
    assert.deepEqual(heard, ['heard'])
    mock.timers.tick(1)
    assert.deepEqual(heard, ['heard', 'broken'])
    assert.equal(FakeSource.all.length, 2)
    assert.equal(FakeSource.all[0]!.readyState, FakeSource.CLOSED)
    latest().onopen()
    assert.deepEqual(heard.slice(2), ['heard anew'])
  })

  test('a heartbeat is enough to go on', () => {
    const { heard, latest } = aStream()
    for (let beats = 0; beats < 10; beats++) {
      mock.timers.tick(9_999)
      latest().say('alive')
    }
    assert.ok(!heard.includes('broken'))
    assert.equal(FakeSource.all.length, 1)
  })

  test('a stream that never opens is given up sooner, and one that the browser gives up is asked for again', () => {
    const { heard, stream, latest } = aStream()
    mock.timers.tick(10_000)
    assert.deepEqual(heard, ['broken'])
    latest().close()
    latest().onerror()
    assert.deepEqual(heard.slice(1), ['broken', 'refused'])
    mock.timers.tick(2_000)
    assert.equal(FakeSource.all.length, 3)
    stream.close()
    mock.timers.tick(100_000)
    assert.equal(FakeSource.all.length, 3, 'closed is closed')
  })

  function aPulse() {
    const told: string[] = []
    const pulse = watchLiveness({ onState: (state) => told.push(state), poll: () => told.push('poll') })
    return { told, pulse }
  }

  test('a page that hears nothing polls every ten seconds until it does', () => {
    const { told, pulse } = aPulse()
    pulse.beat()
    mock.timers.tick(silenceMs)
    assert.deepEqual(told, ['live', 'lost', 'poll'])
    mock.timers.tick(pollMs)
    mock.timers.tick(pollMs)
    assert.deepEqual(told.slice(3), ['poll', 'poll'])
    pulse.beat()
    mock.timers.tick(silenceMs - 1)
    assert.deepEqual(told.slice(5), ['live'])
  })

  test('a page whose stream is interrupted polls if that lasts, however often it is told so', () => {
    const { told, pulse } = aPulse()
    pulse.beat()
    for (let second = 0; second < 30; second++) {
      pulse.lose()
      mock.timers.tick(1_000)
    }
    assert.deepEqual(told, ['live', 'lost', 'poll', 'poll', 'poll'])
    pulse.stop()
    mock.timers.tick(pollMs)
    assert.equal(told.length, 5)
  })
})
