import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Hands, Stopped, WorkFailed } from '../orders/hands.ts'
import { withWayIn } from './way-in.ts'

function handing(isRelayed: boolean) {
  let asked = 0
  const cancelled = new AbortController()
  const hands = {
    cancelled: cancelled.signal,
    credential: async () => {
      asked += 1
      return { address: 'x', header: `${asked}`, isRelayed }
    },
  } as unknown as Hands
  return { hands, cancelled, asked: () => asked }
}

const cut = new WorkFailed('The repository could not be fetched.', 'transient')

test('git that is cut off with the server is tried again, each time by another way in', async () => {
  const { hands } = handing(true)
  const headers: (string | null)[] = []
  const done = await withWayIn(hands, 'read', async ({ header }) => {
    headers.push(header)
    if (headers.length < 3) throw cut
    return 'fetched'
  })
  assert.deepEqual([done, headers], ['fetched', ['1', '2', '3']])
})

test('it is not tried for ever, nor where the host is reached without the server, nor what would fail again', async () => {
  for (const [isRelayed, error, times] of [
    [true, cut, 3],
    [false, cut, 1],
    [true, new WorkFailed('The branch holds something else.', 'persistent'), 1],
    [true, new Stopped('It is over.', { how: 'abort', by: 'server' }), 1],
  ] as const) {
    const { hands, asked } = handing(isRelayed)
    await assert.rejects(
      withWayIn(hands, 'write', async () => {
        throw error
      }),
      error,
    )
    assert.equal(asked(), times, error.message)
  }
  const { hands, cancelled, asked } = handing(true)
  const why = new Stopped('It is over.', { how: 'cancel', by: 'server' })
  await assert.rejects(
    withWayIn(hands, 'read', async () => {
      cancelled.abort(why)
      throw cut
    }),
    why,
  )
  assert.equal(asked(), 1)
})
