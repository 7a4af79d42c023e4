import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { backdateSession } from './gemini-sessions.ts'

test('a session of this minute gets a name of an earlier one, and others keep theirs', (t) => {
  const home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-gemini-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const chats = path.join(home, '.gemini', 'tmp', 'worktree', 'chats')
  mkdirSync(chats, { recursive: true })
  for (const name of [
    'session-2026-11-16T05-14-fe72c2cd.jsonl',
    'session-2026-11-16T05-12-fe72c2cd.jsonl',
    'session-2026-11-16T05-14-4a81ac24.jsonl',
  ])
    writeFileSync(path.join(chats, name), '')
  backdateSession(home, 'fe72c2cd-7dfc-4fe4-8ab9-bfc7da9fcf73', new Date('2026-11-16T05:14:40Z'))
  const names = readdirSync(chats)
  assert.equal(names.length, 3)
  assert.ok(names.includes('session-2026-11-16T05-14-4a81ac24.jsonl'))
  assert.ok(!names.includes('session-2026-11-16T05-14-fe72c2cd.jsonl'))
})
