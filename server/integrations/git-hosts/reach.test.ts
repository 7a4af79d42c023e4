import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { GitHistory } from './git-history.ts'
import { gitReach } from './reach.ts'

const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'signalbox-reach-')))
after(() => rm(folder, { recursive: true, force: true }))

const yesterday = new Date(Date.now() - 86_400_000)

const names: Record<string, string[]> = {
  'git.example.com': ['93.184.216.34', '2606:2800:220:1::1'],
  'git.internal': ['10.1.2.3'],
  'half.example.com': ['93.184.216.34', '169.254.169.254'],
}
const reach = (...allow: string[]) => gitReach({ allow, resolve: async (host) => names[host] ?? [] })

test('what is not on the public internet is not read, unless the operator allows it', async () => {
  for (const url of [
    'http://127.0.0.1/x.git',
    'http://2130706433/x.git',
    'http://[::ffff:10.0.0.1]/x.git',
    'https://git.internal/x.git',
    'https://GIT.internal./x.git',
    'https://half.example.com/x.git',
    'https://nowhere.example.com/x.git',
    'ssh://git@git.internal/x.git',
    'git@git.internal:x.git',
    'git://git.example.com/x.git',
    'git://git.internal/x.git',
  ])
    await assert.rejects(reach()(url), /Ask the server operator to allow|plainly/, url)
  const named = await reach('git.internal')('git://git.internal/x.git')
  assert.equal(named.address, 'git://git.internal/x.git')
  const { sshOptions } = await reach('git.internal')('git@git.internal:x.git')
  assert.deepEqual(sshOptions, [], 'a host that the operator named may be one of ~/.ssh/config')
  assert.ok(await reach('10.1.0.0/16')('git@git.internal:x.git'))
  await assert.rejects(reach('10.1.0.0/16')('http://10.2.0.1/x.git'), /Ask the server operator to allow/)
})

test('the disk of the server is not read, but for folders that the operator names', async () => {
  const [open, closed] = [path.join(folder, 'open'), path.join(folder, 'open-not')]
  for (const name of [open, closed]) await mkdir(name)
  await symlink(closed, path.join(open, 'door'))
  for (const url of [open, pathToFileURL(open).href, '/', '/etc', 'file:///etc'])
    await assert.rejects(reach()(url), /Ask the server operator to allow/, url)
  assert.equal((await reach(open)(open)).address, open)
  assert.equal((await reach(open)(pathToFileURL(open).href)).address, open)
  for (const url of [closed, `${open}/../open-not`, path.join(open, 'door'), pathToFileURL(closed).href])
    await assert.rejects(reach(open)(url), /Ask the server operator to allow/, url)
})

test('a service of one workspace does not lead to the copy that was made for another', async () => {
  const repository = path.join(folder, 'private')
  execFileSync('git', ['init', '--quiet', '-b', 'main', repository])
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  execFileSync('git', ['-C', repository, ...who, 'commit', '--quiet', '--allow-empty', '-m', 'Secret'])
  const copies = path.join(folder, 'copies')
  const history = new GitHistory(copies, { allow: [repository] })
  const merges = await history.recentMerges({ url: repository, path: '' }, yesterday)
  assert.equal(merges[0]!.title, 'Secret')
  const [copy] = await readdir(copies)
  const look = history.recentMerges({ url: path.join(copies, copy!), path: '' }, yesterday)
  await assert.rejects(look, /Ask the server operator to allow/)
})

test('a redirect is not followed, and a name that changes its mind is not asked again', async () => {
  const asked: string[] = []
  const server = (name: string, location?: string): Server =>
    createServer((request, response) => {
      asked.push(`${name} ${request.url}`)
      response.writeHead(location ? 302 : 404, location ? { location } : {}).end()
    })
  const inside = server('inside')
  inside.listen(0, '127.0.0.1')
  await once(inside, 'listening')
  const to = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/x.git`
  const outside = server('outside', `${to}/info/refs?service=git-upload-pack`)
  outside.listen(0, '127.0.0.1')
  await once(outside, 'listening')
  const { port } = outside.address() as AddressInfo
  // The name is one that no name server knows: git gets there by the addresses that were looked at, or not at all.
  const history = new GitHistory(path.join(folder, 'redirected'), {
    allow: ['127.0.0.1'],
    resolve: async () => ['127.0.0.1', '93.184.216.34'],
  })
  try {
    const look = history.recentMerges({ url: `http://public.invalid:${port}/x.git`, path: '' }, yesterday)
    await assert.rejects(look, /git fetch failed/)
    assert.ok(asked.length > 0 && asked.every((line) => line.startsWith('outside /x.git/')), asked.join())
  } finally {
    for (const one of [inside, outside]) one.close()
  }
})

test('ssh goes to the address that was looked at, and knows the host by its name', async () => {
  const said = path.join(folder, 'said')
  const ssh = path.join(folder, 'ssh')
  await writeFile(ssh, `#!/bin/sh\nprintf '%s\\n' "$@" >>'${said}'\nexit 1\n`, { mode: 0o755 })
  const before = process.env.GIT_SSH_COMMAND
  process.env.GIT_SSH_COMMAND = ssh
  let questions = 0
  const history = new GitHistory(path.join(folder, 'by-ssh'), {
    resolve: async () => {
      questions += 1
      return questions === 1 ? ['93.184.216.34'] : ['127.0.0.1']
    },
  })
  try {
    const look = history.recentMerges({ url: 'ssh://git@moves.example:2222/x.git', path: '' }, yesterday)
    await assert.rejects(look, /git fetch failed/)
  } finally {
    if (before === undefined) delete process.env.GIT_SSH_COMMAND
    else process.env.GIT_SSH_COMMAND = before
  }
  const words = (await readFile(said, 'utf8')).split('\n')
  assert.equal(questions, 1)
  assert.ok(words.includes('HostName=93.184.216.34'), words.join())
  assert.ok(words.includes('HostKeyAlias=[moves.example]:2222'), words.join())
})
