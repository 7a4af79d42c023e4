import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import vm from 'node:vm'

const code = readFileSync(path.join(import.meta.dirname, 'public', 'push.js'), 'utf8')
const message = { id: 'one', title: 'inc-k3x9 opened', body: 'Checkout', path: '/acme/incidents/inc-k3x9' }

/** The service worker in a browser with these pages open, and what it did there. */
function worker(pages: { focused: boolean }[]) {
  const did: unknown[] = []
  const heard = new Map<string, (event: object) => void>()
  const open = pages.map((page) => ({
    ...page,
    focus: async () => did.push('focus'),
    navigate: async (to: string) => did.push(['navigate', to]),
  }))
  const self = {
    addEventListener: (name: string, hear: (event: object) => void) => heard.set(name, hear),
    clients: { matchAll: async () => open, openWindow: async (to: string) => did.push(['open', to]) },
    registration: {
      showNotification: async (title: string, shown: object) =>
        did.push(JSON.parse(JSON.stringify([title, shown]))),
    },
  }
  vm.runInNewContext(code, { self })
  return async (name: string, event: object) => {
    let done: unknown
    heard.get(name)!({ ...event, waitUntil: (work: unknown) => (done = work) })
    await done
    return did
  }
}

const push = { data: { json: () => message } }
const click = { notification: { data: { path: message.path }, close() {} } }

test('a push is shown while no one looks at the app', async () => {
  assert.deepEqual(await worker([{ focused: false }])('push', push), [
    ['inc-k3x9 opened', { body: 'Checkout', tag: 'one', icon: '/favicon.svg', data: { path: message.path } }],
  ])
})

test('a page that is looked at tells it on its own', async () => {
  assert.deepEqual(await worker([{ focused: true }])('push', push), [])
})

test('a click leads to the thing, in a page that is open or in a new one', async () => {
  assert.deepEqual(await worker([{ focused: false }])('notificationclick', click), [
    'focus',
    ['navigate', message.path],
  ])
  assert.deepEqual(await worker([])('notificationclick', click), [['open', message.path]])
})
