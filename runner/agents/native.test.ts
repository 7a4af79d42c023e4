import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { drive, Site } from '../test/drive.ts'
import { plainBox } from '../test/plain-box.ts'
import { codexAgent } from './codex.ts'
import { presets } from './presets.ts'
import type { Setup } from './setup.ts'

/** Says how it was called, in words that Codex would use. */
const program =
  'console.log(JSON.stringify({ type: "item.completed", item: { id: "1", type: "agent_message", text: process.argv.slice(1).join(" ") } })); console.log(JSON.stringify({ type: "turn.completed", usage: {} }))'

test('a session that is not in the home of the run is begun again instead of failing', async () => {
  using site = new Site()
  const agent = codexAgent({ command: [process.execPath, '-e', program, '--'], version: null, readable: [] })
  const said = async () => {
    const { end, events } = await drive(agent, plainBox(), site, { session: '01a1e155-850b' })
    assert.deepEqual(end, { ended: 'normally' })
    return events.flatMap((event) => (event.type === 'said' ? [event.text] : []))[0]
  }
  assert.doesNotMatch((await said())!, /resume/)
  mkdirSync(path.join(site.home, '.codex', 'sessions'), { recursive: true })
  writeFileSync(path.join(site.home, '.codex', 'sessions', 'rollout-01a1e155-850b.jsonl'), '')
  assert.match((await said())!, /^exec resume .*01a1e155-850b -$/)
})

test('outside of a box Codex may write into the other repositories of a run, unless it is only to look', () => {
  const setup: Setup = {
    ...{ url: null, model: null, home: '/home', worktree: '/api', out: '/out', denied: [], maySearch: false },
    ...{ beside: [{ folder: '/web', denied: [] }], readOnly: false, isBoxed: false, askServer: null },
  }
  const roots = (departures: Partial<Setup>) =>
    /^writable_roots = (.*)$/m.exec(
      presets.codex.configure({ ...setup, ...departures }).files['.codex/config.toml']!,
    )?.[1] ?? null
  assert.equal(roots({}), '["/out","/web"]')
  assert.equal(roots({ out: null }), '["/web"]')
  assert.equal(roots({ readOnly: true }), '["/out"]')
  assert.equal(roots({ isBoxed: true }), null, 'there the box holds')
})
