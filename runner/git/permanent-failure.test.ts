import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPermanentFailure } from './permanent-failure.ts'
import { Unreachable } from './reach.ts'
import { GitError } from './run.ts'

test('what git cannot read until someone helps is told from what may pass', () => {
  const said = (text: string) => isPermanentFailure(new GitError('fetch', 128, text))
  for (const text of [
    "fatal: unable to access 'https://git.example.com/a.git/': The requested URL returned error: 403",
    "remote: No git host is connected.\nfatal: unable to access 'https://x/': The requested URL returned error: 422",
    "fatal: Authentication failed for 'https://git.example.com/a.git/'",
    "fatal: could not read Username for 'https://git.example.com': terminal prompts disabled",
    "fatal: repository 'https://git.example.com/a.git/' not found",
    "fatal: '/srv/git/a.git' does not appear to be a git repository",
    "fatal: couldn't find remote ref refs/heads/main",
  ])
    assert.equal(said(text), true, text)
  for (const text of [
    "fatal: unable to access 'https://git.example.com/': Could not resolve host: git.example.com",
    "fatal: unable to access 'https://git.example.com/': The requested URL returned error: 503",
    "fatal: unable to access 'https://git.example.com/': The requested URL returned error: 429",
    'fatal: the remote end hung up unexpectedly',
    'took longer than 1800 s',
  ])
    assert.equal(said(text), false, text)
  assert.equal(isPermanentFailure(new Unreachable('The runner may not use it.')), true)
  assert.equal(isPermanentFailure(new Error('ENOSPC')), false)
})
