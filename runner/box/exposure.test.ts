import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { findAgents } from '../agents/find.ts'
import { installFolder } from '../agents/installed.ts'
import { refuseExposed } from '../equipment.ts'
import { exposureOf, homesOf } from './exposure.ts'

const root = mkdtempSync(path.join(os.tmpdir(), 'signalbox-exposure-'))
after(() => rmSync(root, { recursive: true, force: true }))

const at = (...names: string[]) => path.join(root, ...names)
const home = at('people', 'ada')
const of = { data: at('data'), homes: [home] }

function put(file: string, text = '#!/bin/sh\n'): string {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
  return file
}

put(at('data', 'evidence-key.pem'))
put(path.join(home, 'agent.sh'))
put(path.join(home, 'tools', 'agent.sh'))

test('a home, what holds one, and the folders in which everything lies are not shown', () => {
  for (const folder of [
    home,
    at('people'),
    root,
    '/',
    '/etc',
    '/etc/ssl/private',
    '/root',
    '/home',
    '/tmp',
    '/var',
  ])
    assert.notEqual(exposureOf(folder, of), null, folder)
  assert.equal(exposureOf(path.join(home, 'tools'), of), null)
  assert.equal(exposureOf('/usr/bin', of), null)
})

test("the runner's own folder is not shown, nor what is in it, nor what holds it, by any name", () => {
  for (const folder of [at('data'), at('data', 'repositories'), root])
    assert.notEqual(exposureOf(folder, of), null, folder)
  symlinkSync(at('data'), at('innocent'))
  assert.match(exposureOf(at('innocent'), of)!, /runner's own data/)
})

test('a folder that keeps a secret is not shown', () => {
  for (const [name, secret] of [
    ['one', '.npmrc'],
    ['two', '.ssh/id_ed25519'],
    ['three', '.git-credentials'],
    ['four', '.credentials.json'],
  ] as const) {
    put(at(name, secret))
    assert.match(exposureOf(at(name), of)!, /looks like a secret/, secret)
  }
  put(at('five', 'server.key'), '-----BEGIN EC PRIVATE KEY-----\n')
  assert.match(exposureOf(at('five'), of)!, /server\.key/)
  put(at('six', 'cacert.pem'), '-----BEGIN CERTIFICATE-----\n')
  assert.equal(exposureOf(at('six'), of), null)
  assert.match(exposureOf(at('two', '.ssh'), of)!, /secrets are kept/)
})

test('people and root live in homes; what services have is what their programs are made of', () => {
  assert.deepEqual(
    homesOf(
      'root:x:0:0::/root:/bin/sh\nbin:x:2:2::/bin:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/sh\n',
    ),
    ['/root', '/home/ada'],
  )
})

test('of a program that stands in a home, the program is shown and not the home', () => {
  assert.equal(installFolder(path.join(home, 'agent.sh'), of), path.join(home, 'agent.sh'))
  assert.equal(installFolder(path.join(home, 'tools', 'agent.sh'), of), path.join(home, 'tools'))
  assert.equal(
    installFolder(put(at('npm', 'node_modules', 'agent', 'bin.js')), of),
    at('npm', 'node_modules'),
  )
  assert.equal(installFolder(put(at('beside.sh')), of), at('beside.sh'), 'beside the data folder')
})

test('command= in the home of the runner’s account shows that file alone', () => {
  const before = process.env.HOME
  process.env.HOME = home
  try {
    const [agent] = findAgents({ searchPath: '', choices: [`command=${home}/agent.sh`], data: at('data') })
    assert.deepEqual(agent!.readable, [path.join(home, 'agent.sh')])
  } finally {
    process.env.HOME = before
  }
})

test('what would be shown and must not be is refused before the runner starts, with the remedy', () => {
  const config = { data: at('data'), toolchains: [] as string[] }
  assert.doesNotThrow(() => refuseExposed(config, [{ name: 'a', readable: [at('six')] }], at('six')))
  assert.throws(
    () => refuseExposed({ ...config, toolchains: [root] }, [], at('six')),
    /--toolchains .* holds the runner's own data: every agent could read it\. Name a folder/,
  )
  assert.throws(() => refuseExposed(config, [{ name: 'mine', readable: [root] }], at('six')), /agent mine/)
  assert.throws(() => refuseExposed(config, [], root), /Node is installed in .* in its own folder/)
})
