import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { putIntoHome } from './home.ts'
import { readResult } from './result.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'home-'))
  mkdirSync(path.join(root, 'home'))
  mkdirSync(path.join(root, 'outside'))
  writeFileSync(path.join(root, 'outside', 'secret'), 'secret')
})
afterEach(() => rmSync(root, { recursive: true }))
const at = (...names: string[]) => path.join(root, ...names)

test('links that an agent has left in its home lead the runner nowhere', () => {
  symlinkSync(at('outside'), at('home', '.codex'))
  symlinkSync(at('outside', 'secret'), at('home', 'settings.json'))
  putIntoHome(at('home'), '.codex/config.toml', 'model = "a"')
  putIntoHome(at('home'), 'settings.json', '{}')
  assert.equal(readFileSync(at('home', '.codex', 'config.toml'), 'utf8'), 'model = "a"')
  assert.equal(existsSync(at('outside', 'config.toml')), false)
  assert.equal(readFileSync(at('outside', 'secret'), 'utf8'), 'secret')
})

test('of the result folder only plain files of a fair size are read', () => {
  symlinkSync(at('outside', 'secret'), at('home', 'plan.json'))
  symlinkSync(at('outside'), at('home', 'acceptance'))
  execFileSync('/bin/sh', ['-c', 'mkfifo pipe.json'], { cwd: at('home') })
  writeFileSync(at('home', 'large.json'), 'x'.repeat(100))
  writeFileSync(at('home', 'fair.json'), '{}')
  assert.equal(readResult(at('home'), 'plan.json'), null)
  assert.equal(readResult(at('home'), 'acceptance/secret'), null)
  assert.equal(readResult(at('home'), '../outside/secret'), null)
  assert.equal(readResult(at('home'), 'pipe.json'), null)
  assert.equal(readResult(at('home'), 'large.json', 99), null)
  assert.equal(readResult(at('home'), 'fair.json'), '{}')
})
