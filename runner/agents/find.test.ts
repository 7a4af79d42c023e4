import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { findAgents } from './find.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'bin-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** As npm installs one. */
function install(program: string, version: string): void {
  const folder = path.join(root, 'node_modules', program)
  mkdirSync(folder, { recursive: true })
  mkdirSync(path.join(root, 'node_modules', '.bin'), { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: program, version }))
  writeFileSync(path.join(folder, 'cli.js'), '#!/usr/bin/env node\n')
  chmodSync(path.join(folder, 'cli.js'), 0o755)
  symlinkSync(path.join(folder, 'cli.js'), path.join(root, 'node_modules', '.bin', program))
}

const find = (...choices: string[]) =>
  findAgents({ searchPath: path.join(root, 'node_modules', '.bin'), choices })
const found = (...choices: string[]) => find(...choices).map(({ executor }) => executor)

test('what is installed is found with its version: natively where we can, else over ACP', () => {
  for (const [program, version] of [
    ['claude', '2.1.0'],
    ['claude-agent-acp', '0.99.0'],
    ['codex-acp', '2.6.0'],
    ['opencode', '1.18.0'],
  ] as const)
    install(program, version)
  assert.deepEqual(found(), [
    { name: 'claude_code', via: 'native', version: '2.1.0' },
    { name: 'codex', via: 'acp', version: '2.6.0' },
    { name: 'opencode', via: 'acp', version: '1.18.0' },
  ])
  assert.deepEqual(find()[0]!.readable, [path.join(root, 'node_modules')])
})

test('the operator has the last word', () => {
  install('claude', '2.1.0')
  install('claude-agent-acp', '0.99.0')
  assert.deepEqual(found('claude_code=acp'), [{ name: 'claude_code', via: 'acp', version: '0.99.0' }])
  assert.deepEqual(found('claude_code=off'), [])
  assert.throws(() => found('codex=native'), /no native program for codex was found/)
  assert.throws(() => found('claude_code=fast'), /native, acp or off/)
  assert.throws(() => found('cladue=off'), /there is no agent cladue/)
})

test('an agent is found with what it needs beside it, and any other that speaks ACP by its command line', () => {
  install('pi-acp', '0.0.34')
  assert.deepEqual(found(), [])
  assert.throws(() => found('pi=acp'), /no acp program for pi was found/)
  install('pi', '0.87.1')
  assert.deepEqual(found(), [{ name: 'pi', via: 'acp', version: '0.0.34' }])
  assert.deepEqual(found('pi=off', 'acp=pi --acp'), [{ name: 'acp', via: 'acp', version: '0.87.1' }])
  assert.deepEqual(found('pi=off', 'command=pi --print'), [
    { name: 'command', via: 'command', version: '0.87.1' },
  ])
})

test('scripts are only played where the operator says so', () => {
  assert.deepEqual(found(), [])
  assert.deepEqual(found('scripted'), [{ name: 'scripted', via: 'scripted', version: null }])
})
