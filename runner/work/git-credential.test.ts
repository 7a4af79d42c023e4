import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OrderContext, Stopped, WorkFailed } from '../orders/order-context.ts'
import { withGitCredential } from './git-credential.ts'

function handing(isRelayed: boolean) {
  let asked = 0
  const cancelled = new AbortController()
  const context = {
    cancelled: cancelled.signal,
    credential: async () => {
      asked += 1
      return { address: 'x', header: `${asked}`, isRelayed }
    },
  } as unknown as OrderContext
  return { context, cancelled, asked: () => asked }
}

const cut = new WorkFailed('The repository could not be fetched.', 'transient')

test('git that is cut off with the server is tried again, each time by another way in', async () => {
  const { context } = handing(true)
  const headers: (string | null)[] = []
  const done = await withGitCredential(context, 'read', async ({ header }) => {
    headers.push(header)
    if (headers.length < 3) throw cut
    return 'fetched'
  })
  assert.deepEqual([done, headers], ['fetched', ['1', '2', '3']])
})

test('it is not tried forever, nor where the host is reached without the server, nor what would fail again', async () => {
  for (const [isRelayed, error, times] of [
    [true, cut, 3],
    [false, cut, 1],
    [true, new WorkFailed('The branch holds something else.', 'persistent'), 1],
    [true, new Stopped('It is over.', { how: 'abort', by: 'server' }), 1],
  ] as const) {
    const { context, asked } = handing(isRelayed)
    await assert.rejects(
      withGitCredential(context, 'write', async () => {
        throw error
      }),
      error,
    )
    assert.equal(asked(), times, error.message)
  }
  const { context, cancelled, asked } = handing(true)
  const why = new Stopped('It is over.', { how: 'cancel', by: 'server' })
  await assert.rejects(
    withGitCredential(context, 'read', async () => {
      cancelled.abort(why)
      throw cut
    }),
    why,
  )
  assert.equal(asked(), 1)
})
