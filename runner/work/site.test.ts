import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import { park, resumeSite, type Site } from './site.ts'
import type { Workshop } from './workshop.ts'

test('an agent that was stopped goes on where it was; in a race the next one begins where both began', async (t) => {
  const data = await mkdtemp(path.join(tmpdir(), 'signalbox-site-'))
  t.after(() => rm(data, { recursive: true, force: true }))
  const shop = { data } as Workshop
  const store = { hold: async () => {}, has: async () => true } as unknown as Site['store']
  const site: Site = { store, base: 'b'.repeat(40), head: 'b'.repeat(40) }
  const order = { run: 'run-1', work: null, executor: 'claude_code' } as Order
  await park(shop, order, site, 'c'.repeat(40))
  assert.equal((await resumeSite(shop, order, site)).head, 'c'.repeat(40))
  assert.equal((await resumeSite(shop, { ...order, executor: 'codex' }, site)).head, site.base)
})
