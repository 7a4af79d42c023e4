import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import type { LimitTools } from '../box/resource-limits.ts'
import { readConfig } from '../config.ts'
import { temporaryFolder } from '../test/origin.ts'
import { findAccess } from './access.ts'
import { table } from './doctor.ts'
import {
  findAgents,
  findBubblewrap,
  findFilter,
  findGit,
  findGvisor,
  findImages,
  findLimits,
  findUser,
  type Run,
} from './machine.ts'
import { findServer } from './server.ts'

const answering =
  (answers: Record<string, { status?: number; stdout?: string; stderr?: string }>): Run =>
  (command, args) => {
    const answer = answers[`${command} ${args[0]}`]
    return answer ? { status: 0, stdout: '', stderr: '', ...answer } : null
  }

test('git must be 2.38 or later', () => {
  const git = (version: string) =>
    findGit(answering({ 'git --version': { stdout: `git version ${version}` } }))
  assert.equal(git('2.38.0').state, 'fine')
  assert.equal(git('3.0.1').state, 'fine')
  assert.match(git('2.34.1').remedy!, /Install git 2\.38/)
  assert.equal(findGit(answering({})).found, 'none')
})

test('what one order may take is said, and what of it no one holds', () => {
  const resourceLimits = { memoryBytes: 8e9, processes: 4_096, fileBytes: 20e9 }
  const limits = (means: Partial<LimitTools>, platform: NodeJS.Platform = 'linux') =>
    findLimits(resourceLimits, { nice: true, prlimit: true, cgroups: null, ...means }, platform)
  const all = limits({})
  assert.deepEqual(
    [all.state, all.found],
    [
      'fine',
      '8 GB of memory (watched), 4096 processes (enforced by the kernel in a box, otherwise watched), files up to 20 GB, low priority',
    ],
  )
  assert.match(all.remedy!, /Delegate=yes/)
  const delegated = limits({ cgroups: { version: 2, make: () => assert.fail() } })
  assert.match(delegated.found, /^8 GB of memory \(cgroup\), 4096 processes \(cgroup\)/)
  assert.equal(delegated.remedy, null)
  const few = limits({ prlimit: false })
  assert.deepEqual(
    [few.state, few.found],
    ['weak', '8 GB of memory (watched), 4096 processes (watched), low priority'],
  )
  assert.match(few.remedy!, /util-linux/)
  assert.equal(limits({}, 'darwin').state, 'weak')
})

test('gVisor is missing only where it is asked for, and one that is too old is told', () => {
  const runsc = (flags: string) =>
    answering({ 'runsc --version': { stdout: 'runsc version 1.0\n' }, 'runsc flags': { stdout: flags } })
  assert.deepEqual(findGvisor(false, answering({})), [])
  assert.equal(findGvisor(true, answering({}))[0]!.state, 'lacking')
  assert.match(findGvisor(true, runsc('-debug'))[0]!.found, /too old/)
  assert.equal(findGvisor(true, runsc('-directfs'))[0]!.state, 'fine')
})

test('whether work can run in an image is said, and what it would take', () => {
  const podman = { 'podman --version': { stdout: 'podman version 5.4.2\n' } }
  const bwrap = { 'bwrap --version': { stdout: 'bubblewrap 0.9.0\n' } }
  const found = (box: string | null, answers: Parameters<typeof answering>[0]) =>
    findImages(box, answering(answers), 'linux').map(({ state, found }) => `${state}: ${found}`)
  assert.deepEqual(found(null, { ...podman, ...bwrap }), ['fine: podman 5.4.2'])
  assert.deepEqual(found(null, bwrap), ['fine: none: no podman'])
  assert.deepEqual(found(null, podman), ['weak: none: no bubblewrap'])
  assert.deepEqual(found('gvisor', { ...podman, ...bwrap }), ['weak: none with --box gvisor'])
  assert.deepEqual(findImages(null, answering(podman), 'darwin'), [])
})

test('what the kernel is told of a box is said, and what would help', () => {
  assert.equal(findFilter('x64', true, 'linux')[0]!.state, 'fine')
  assert.match(findFilter('x64', false, 'linux')[0]!.remedy!, /keyutils/)
  assert.match(findFilter('riscv64', true, 'linux')[0]!.found, /no filter for riscv64/)
})

test('a box that cannot be made is told with its cause', () => {
  const bwrap = (stderr: string) =>
    findBubblewrap(
      answering({
        'bwrap --version': { stdout: 'bubblewrap 0.9.0\n' },
        'bwrap --unshare-user': { status: 1, stderr },
      }),
      'linux',
    )
  assert.match(bwrap('bwrap: setting up uid map: Permission denied').remedy!, /bwrap-userns-restrict/)
  assert.match(bwrap('bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted').remedy!, /AppArmor/)
  assert.match(bwrap('bwrap: No permissions to create new namespace').remedy!, /container itself is the box/)
  assert.match(findBubblewrap(answering({}), 'linux').remedy!, /apt install bubblewrap/)
  assert.match(findBubblewrap(answering({}), 'darwin').found, /not on darwin/)
})

test('agents are listed with their versions', () => {
  assert.equal(
    findAgents([{ name: 'codex', via: 'native', version: '0.166.0' }]).found,
    'codex 0.166.0 (native)',
  )
  assert.match(findAgents([]).remedy!, /Install a coding agent/)
})

test('each agent is listed with how it reaches its model, and what would help', (t) => {
  const home = temporaryFolder(t)
  const find = (more: Partial<Parameters<typeof findAccess>[1]> = {}) =>
    findAccess(['codex', 'scripted', 'qwen'], {
      upstreams: {},
      subscriptions: [],
      environment: {},
      home,
      ...more,
    })
  const told = (findings: ReturnType<typeof find>) => findings.map(({ what, found }) => `${what}: ${found}`)
  assert.deepEqual(told(find()), ['codex model: no key and no sign-in', 'qwen model: no key'])
  assert.match(find()[0]!.remedy!, /OPENAI_API_KEY .* --subscriptions codex/)
  mkdirSync(path.join(home, '.codex'))
  const tokens = { id_token: 'id', access_token: `.${btoa('{"exp":2000000000}')}.`, refresh_token: 'refresh' }
  writeFileSync(path.join(home, '.codex/auth.json'), JSON.stringify({ tokens }))
  assert.match(told(find())[0]!, /signed in \(~\/\.codex\/auth\.json\), not allowed/)
  assert.match(told(find({ subscriptions: ['codex'] }))[0]!, /reported by the agent, not metered/)
  const openai = { base: 'https://api.openai.com', key: 'sk' }
  const metered = find({ subscriptions: ['codex'], upstreams: { openai } })
  assert.match(told(metered)[0]!, /OPENAI_API_KEY, every call metered/)
  const later = findAccess(
    ['codex'],
    { upstreams: {}, subscriptions: ['codex'], environment: {}, home },
    new Date(2e12 + 1),
  )
  assert.match(told(later)[0]!, /has expired/)
})

test('the table says what is missing and how to get it', () => {
  const text = table([
    findUser(null, 0),
    { what: 'git', state: 'lacking', found: 'none', remedy: 'Install it.' },
  ])
  assert.match(text, /^! {8}user {2}root\n/)
  assert.match(text, /missing {2}git {3}none\n {9}→ Install it\.\n/)
})

test('the server is asked whether it takes the token, and what time it is', async (t) => {
  let status = 409
  const server = createServer((_, response) => {
    response.writeHead(status, { date: new Date(Date.now() + 3_600_000).toUTCString() }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const config = readConfig(['--url', url], { SERVICE_API_KEY: `tk_${'a'.repeat(32)}` })
  const [found, clock] = await findServer(config)
  assert.match(found!.found, /accepts the token/)
  assert.match(clock!.found, /3[56]\d\d s behind the server/)
  status = 401
  assert.match((await findServer(config))[0]!.remedy!, /Create an API token/)
  status = 404
  assert.match((await findServer(config))[0]!.remedy!, /Check --url/)
})
