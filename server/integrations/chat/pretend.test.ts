import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PretendChat } from './pretend.ts'

const post = (key: string, address = 'C1', thread = 'inc-k3x9') => ({
  place: { tool: 'slack', address },
  thread,
  key,
  text: `Text of ${key}`,
})

test('there is one thread in each place for each thing that is told of', async () => {
  const chat = new PretendChat()
  await chat.post(post('a'))
  await chat.post(post('b', 'C2'))
  await chat.post(post('c', 'C1', 'inc-0000'))
  await chat.post(post('d'))
  assert.deepEqual(chat.threads('C1'), [
    { thread: 'inc-k3x9', texts: ['Text of a', 'Text of d'] },
    { thread: 'inc-0000', texts: ['Text of c'] },
  ])
  assert.deepEqual(chat.threads('C2'), [{ thread: 'inc-k3x9', texts: ['Text of b'] }])
})

test('the same key is the same post', async () => {
  const chat = new PretendChat()
  await chat.post(post('a'))
  await chat.post(post('a'))
  assert.deepEqual(chat.threads('C1'), [{ thread: 'inc-k3x9', texts: ['Text of a'] }])
})

test('it fails as often as it is told, and then no more', async () => {
  const chat = new PretendChat()
  chat.fail(1)
  await assert.rejects(chat.post(post('a')))
  await chat.post(post('a'))
  assert.equal(chat.threads('C1').length, 1)
})
