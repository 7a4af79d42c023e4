import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { AuditEntry } from '../contract/audit.ts'
import type { Decision } from '../contract/decision.ts'
import type { RunListed } from '../contract/run.ts'
import type { StoryListed } from '../contract/story.ts'
import type { Team } from '../contract/team.ts'
import {
  type Demo,
  isAlive,
  launchDemo,
  type Page,
  refused,
  startDemo,
  temporaryFolder,
  until,
  within,
} from './demo.ts'

/**
 * How it starts and ends. One data folder goes through it all, in the order of the tests: a first start, a second one,
 * a kill, a recovery.
 */

const data = await temporaryFolder()

/** Secrets as callers send them, each recognisable in a log. */
const sent = {
  key: 'canary-key-5f2c81',
  password: 'canary-password-77aa',
  unknownToken: 'tk_CANARYcanaryCANARYcanaryCANARYca',
  malformedToken: 'canary-malformed-9d31',
  basic: Buffer.from('robin:canary-basic-3b').toString('base64'),
  sourceToken: 'canary-source-1c9e44d2',
}

interface Resources {
  teams: Team[]
  runs: RunListed[]
  decisions: Decision[]
  stories: StoryListed[]
}

async function everyResource(demo: Demo): Promise<Resources> {
  const teams = (await demo.get<Page<Team>>('/v1/teams')).data
  const stories = teams.map(({ slug }) => demo.all<StoryListed>(`/v1/teams/${slug}/stories?drafts=true`))
  return {
    teams,
    runs: await demo.all<RunListed>('/v1/runs'),
    decisions: await demo.all<Decision>('/v1/decisions'),
    stories: (await Promise.all(stories)).flat(),
  }
}

/** Everything is still there, and what was over is as it was. The rest goes on, with every start. */
function keeps(now: Resources, then: Resources): void {
  const kept = <T>(
    name: string,
    found: T[],
    expected: T[],
    keyOf: (one: T) => string,
    isOver: (one: T) => boolean,
  ) => {
    const byKey = new Map(found.map((one) => [keyOf(one), one]))
    for (const one of expected) {
      assert.ok(byKey.has(keyOf(one)), `${name} ${keyOf(one)} is there`)
      if (isOver(one)) assert.deepEqual(byKey.get(keyOf(one)), one)
    }
    assert.ok(expected.some(isOver), name)
  }
  const key = (one: { key: string }) => one.key
  assert.deepEqual(now.teams, then.teams)
  kept('run', now.runs, then.runs, key, ({ completedAt }) => completedAt !== null)
  kept('decision', now.decisions, then.decisions, key, ({ status }) => status !== 'pending')
  kept('story', now.stories, then.stories, key, ({ column }) => column.role === 'done')
}

let first: Demo
let second: Demo
let third: Demo
let resources: Resources

describe('The first start', () => {
  test('prints, once it serves, exactly one JSON line with exactly the promised keys', async () => {
    first = await startDemo({ typed: true, data, env: { LOG_LEVEL: 'trace' } })
    assert.equal(first.stdout.split('\n').length, 2)
    const { started } = first
    // The sources come with the alert intake.
    const { sources, ...rest } = started
    assert.deepEqual(Object.keys(rest).sort(), ['people', 'signalUrl', 'tokens', 'url', 'workspace'])
    assert.deepEqual(Object.keys(started.people).sort(), ['admin', 'member', 'owner'])
    for (const person of Object.values(started.people)) {
      assert.deepEqual(Object.keys(person).sort(), ['email', 'password'])
      assert.ok(person.email.includes('@') && person.password)
    }
    assert.deepEqual(Object.keys(started.tokens).sort(), [
      'admin',
      'expired',
      'member',
      'otherWorkspace',
      'owner',
      'readOnly',
      'revoked',
      'writeOnly',
    ])
    for (const token of Object.values(started.tokens)) assert.match(token, /^tk_[0-9A-Za-z]{32}$/)
    assert.equal(started.workspace, 'halden-parcels')
    assert.ok(URL.canParse(started.signalUrl) && started.signalUrl.startsWith(started.url))
    if (!sources) return
    assert.deepEqual(Object.keys(sources).sort(), [
      'alertmanager',
      'azure_monitor',
      'cloudwatch',
      'datadog',
      'generic',
      'grafana',
      'newrelic',
      'opsgenie',
      'pagerduty',
      'sentry',
      'statuspage',
    ])
    for (const source of Object.values(sources))
      assert.deepEqual(Object.keys(source).sort(), ['secret', 'url'])
  })

  test('--port 0 takes a free port', () => {
    const { hostname, port } = new URL(first.started.url)
    assert.ok(Number(port) > 0)
    assert.equal(hostname, '127.0.0.1')
  })

  test('every token is what its name says', async () => {
    const { tokens } = first
    const status = async (token: string, address: string) => (await first.ask(address, { token })).status
    const expected: [keyof typeof tokens, number, number][] = [
      ['owner', 200, 200],
      ['admin', 200, 200],
      ['member', 200, 403],
      ['readOnly', 200, 200],
      ['writeOnly', 403, 403],
      ['expired', 401, 401],
      ['revoked', 401, 401],
      ['otherWorkspace', 200, 200],
    ]
    for (const [name, teams, audit] of expected)
      assert.deepEqual(
        [await status(tokens[name], '/v1/teams'), await status(tokens[name], '/v1/audit')],
        [teams, audit],
        name,
      )
  })

  test('/healthz says that it lives, /readyz that it can answer, to everyone', async () => {
    for (const address of ['/healthz', '/readyz']) {
      const reply = await first.ask(address, { token: null })
      assert.equal(reply.status, 200, address)
      assert.equal(typeof JSON.parse(reply.text).status, 'string')
    }
  })

  test('secrets never reach the log, whatever the level and wherever they are sent', async () => {
    const { owner } = first.tokens
    const { hostname, port } = new URL(first.started.url)
    const asked: [string, Record<string, string>?][] = [
      ['/v1/teams'],
      [`/v1/runs/${owner}`],
      [`/v1/runs/${owner}/attempts`],
      [`/v1/teams?token=${owner}`],
      [`/v1/nothing?access_token=${owner}&key=${sent.key}`],
      [`/signals/${sent.sourceToken}?key=${sent.key}`],
      [`/boards?password=${sent.password}&secret=${sent.password}`],
      [`/v1/%E0%A4%A?key=${sent.key}&token=${owner}`],
      ['/v1/teams', { authorization: `Bearer ${sent.unknownToken}` }],
      ['/v1/teams', { authorization: `Bearer ${sent.malformedToken}` }],
      ['/v1/teams', { authorization: `Basic ${sent.basic}` }],
      ['/v1/teams', { 'x-service-token': sent.key, cookie: `session=${sent.password}` }],
      ['/v1/teams', { referer: `https://example.com/?token=${owner}`, 'x-request-id': owner }],
      ['/v1/audit/export?event=team_deleted'],
    ]
    for (const [address, headers] of asked) await first.raw(address, headers ? { headers } : {})
    await first.raw('/tasks', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"password":"${sent.password}"`,
    })
    // Requests that are no HTTP, or too large, are logged elsewhere if at all.
    for (const bytes of [
      `GET /v1/teams?key=${sent.key} HTTP/9.9\r\nAuthorization: Bearer ${owner}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner}\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`,
    ]) {
      const socket = connect(Number(port), hostname).on('error', () => {})
      socket.resume().write(bytes)
      await once(socket, 'close')
    }
    const marker = 'last-request-of-the-log-test'
    await first.ask('/v1/teams', { headers: { 'x-request-id': marker } })
    await until('the log has arrived', () => first.stderr.includes(marker))

    assert.ok(first.stderr.split('\n').length > asked.length, 'the log is on')
    const people = Object.values(first.started.people).map(({ password }) => password)
    // A token may be named by its prefix of 11 characters, and by no character more.
    const tokens = [...Object.values(first.tokens), sent.unknownToken].map((token) => token.slice(0, 12))
    const { unknownToken, ...others } = sent
    for (const secret of [...tokens, ...people, ...Object.values(others)]) {
      const line = first.stderr.split('\n').find((text) => text.includes(secret))
      assert.equal(line, undefined, `${secret} is in the log`)
    }
  })

  test('SIGTERM ends it cleanly: exit code 0, nothing more on stdout, no database process left', async () => {
    resources = await everyResource(first)
    assert.equal((await first.databases()).length, 1)
    const { code, signal } = await first.end('SIGTERM')
    assert.deepEqual([code, signal], [0, null], first.stderr.slice(-2_000))
    assert.deepEqual(await first.databases(), [])
    assert.equal(first.stdout, `${JSON.stringify(first.started)}\n`)
    await assert.rejects(first.ask('/healthz'))
  })

  test('no token and no password is in the data folder', async () => {
    const secrets = [
      ...Object.values(first.tokens),
      ...Object.values(first.started.people).map(({ password }) => password),
    ]
    let files = 0
    for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      files += 1
      const bytes = await readFile(path.join(entry.parentPath, entry.name))
      for (const secret of secrets)
        assert.ok(!bytes.includes(secret), `${secret} is in ${path.join(entry.parentPath, entry.name)}`)
    }
    assert.ok(files > 10)
  })
})

describe('A second start on the same folder', () => {
  test('keeps all data', async () => {
    second = await startDemo({ data })
    keeps(await everyResource(second), resources)
  })

  test('issues fresh tokens, and the old ones still work', async () => {
    for (const name of ['owner', 'admin', 'member', 'readOnly', 'otherWorkspace'] as const) {
      assert.notEqual(second.tokens[name], first.tokens[name])
      for (const token of [first.tokens[name], second.tokens[name]])
        assert.equal((await second.ask('/v1/teams', { token })).status, 200, name)
    }
    for (const name of ['expired', 'revoked'] as const)
      for (const token of [first.tokens[name], second.tokens[name]])
        assert.equal((await second.ask('/v1/teams', { token })).status, 401, name)
    assert.deepEqual(second.started.people, first.started.people)
  })

  test('a third one beside it is refused in a sentence, and harms nothing', async () => {
    const beside = await launchDemo({ data })
    const { code } = await within('the refusal', beside.ended)
    assert.notEqual(code, 0)
    assert.equal(beside.stdout, '')
    assert.match(beside.stderr, /data folder/)
    assert.ok(!/\n +at /.test(beside.stderr), 'a sentence, not a stack')
    assert.equal((await second.ask('/readyz')).status, 200)
  })
})

describe('Killed without warning', () => {
  let written: string

  test('what was answered before is there after the next start, which comes up on its own', async () => {
    const reply = await second.ask('/v1/audit/export?event=team_deleted')
    assert.equal(reply.status, 200)
    written = reply.headers.get('x-service-export-id')!
    await second.end('SIGKILL')
    third = await startDemo({ typed: true, data })
    assert.equal((await third.databases()).length, 1, 'the orphaned database was adopted or stopped')
    keeps(await everyResource(third), resources)
    const exports = await third.all<AuditEntry>('/v1/audit?event=audit_exported')
    assert.ok(exports.some(({ entity }) => entity.id === written))
    assert.equal((await third.ask('/v1/teams', { token: second.tokens.owner })).status, 200)
  })

  test('the audit log is still proved, by the command as a person types it', async () => {
    const typed = ['run', '-s', 'signalbox', '--', 'verify-audit']
    const { stdout } = await promisify(execFile)('npm', typed, { env: { ...process.env, DATA_DIR: data } })
    assert.match(stdout, /: verified\./)
  })

  test('when its database is killed, it says 503 until the database is back, which it sees to itself', async () => {
    const killed = await third.servingDatabase()
    process.kill(killed!, 'SIGKILL')
    await until('it answers again', async () => {
      assert.equal((await third.ask('/healthz', { token: null })).status, 200)
      // Asked first: sessions of the killed one answer for a moment more, also while its successor comes up.
      const serving = await third.servingDatabase()
      const reply = await third.ask('/v1/teams')
      if (reply.status === 200) return serving !== undefined && serving !== killed
      refused(reply, 503, 'service_unavailable')
      assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      return false
    })
    keeps(await everyResource(third), resources)
  })

  test('Ctrl-C ends it as cleanly as SIGTERM', async () => {
    third.interrupt()
    await third.gone()
    assert.deepEqual(await third.databases(), [])
  })
})

describe('A start for people', () => {
  let shown: Demo

  test('listens on the port it is told and prints the address, the sign-in and a curl line that works', async () => {
    const port = await freePort()
    shown = await launchDemo({ typed: true, data, port, json: false })
    await until('it serves', () => {
      assert.equal(shown.command.exitCode, null, shown.stderr)
      return /Stop with|curl .*\n/.test(shown.stdout)
    })
    await shown.findServer()
    assert.ok(shown.stdout.includes(`http://127.0.0.1:${port}`), shown.stdout)
    const { email, password } = first.started.people.owner
    assert.ok(shown.stdout.includes(email) && shown.stdout.includes(password))
    const [, url, name, value] = /curl "?(http\S+?)"? -H "(\w+): ([^"]+)"/.exec(shown.stdout) ?? []
    assert.ok(url && name && value, shown.stdout)
    const response = await fetch(url, { headers: { [name]: value } })
    assert.equal(response.status, 200)
    await response.text()
  })

  test('a SIGTERM to the command that was started, as a supervisor sends it, ends the server too', async () => {
    try {
      shown.command.kill('SIGTERM')
      await within('the command to end', shown.ended)
      await until('the server is gone', () => !isAlive(shown.pid))
      assert.deepEqual(await shown.databases(), [])
    } finally {
      // The folder is needed once more.
      await shown.stop()
    }
  })
})

test('SIGTERM ends it also while its database is away', async () => {
  const demo = await startDemo({ data })
  const [database] = await demo.databases()
  process.kill(database!, 'SIGKILL')
  demo.signal('SIGTERM')
  // It brings its database back before it stops it, which takes as long as the disk does.
  await until('the server is gone', () => !isAlive(demo.pid))
  assert.deepEqual(await demo.databases(), [])
})

test('plain HTTP is served on this machine only: a public address without TLS is refused', async () => {
  const refusedStart = await launchDemo({ env: { HOST: '0.0.0.0' } })
  const { code } = await within('the refusal', refusedStart.ended)
  assert.notEqual(code, 0)
  assert.equal(refusedStart.stdout, '')
  assert.match(refusedStart.stderr, /TLS_CERT/)
})

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  assert.ok(address && typeof address === 'object')
  return address.port
}
