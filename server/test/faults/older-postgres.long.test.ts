import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPart, makeBackup } from '../../app/backup.ts'
import { readConfig } from '../../app/config.ts'
import { restoreBackup } from '../../app/restore.ts'
import { newId } from '../../infra/ids.ts'
import { createLog } from '../../infra/log.ts'
import { testApp, urlOf } from '../app.ts'
import { emptyDatabase } from '../database.ts'
import { aMember, aRun, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'

/** The oldest PostgreSQL that is supported, as Debian installs it. */
const programs = '/usr/lib/postgresql/15/bin'
const skip = existsSync(programs) ? false : 'PostgreSQL 15 is not installed (Debian 12: postgresql-15)'
const run = promisify(execFile)
const secretKey = 'a key for tests that is long enough'
const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-older-'))
let server: ChildProcess | undefined
after(async () => {
  if (server) {
    server.kill('SIGINT')
    await once(server, 'exit')
  }
  await rm(folder, { recursive: true, force: true })
})

/** It refuses to run as root. */
const asItself = (program: string, ...args: string[]): [string, string[]] =>
  process.getuid?.() === 0
    ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', program, ...args]]
    : [program, args]

async function startOlder(): Promise<string> {
  await chmod(folder, 0o777)
  const data = path.join(folder, 'cluster')
  await run(...asItself(`${programs}/initdb`, '--pgdata', data, '--username', 'owner', '--auth', 'trust'))
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', `port=${port}`]
  const [program, args] = asItself(
    `${programs}/postgres`,
    ...['-D', data],
    ...settings.flatMap((one) => ['-c', one]),
  )
  server = spawn(program, args, { stdio: 'ignore' })
  const url = `postgresql://owner@127.0.0.1:${port}`
  await until('it answers', () =>
    sql(`${url}/postgres`, 'create database signalbox').then(
      () => true,
      () => false,
    ),
  )
  return `${url}/signalbox`
}

async function sql(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  return client
    .query(text)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}

test('a backup of PostgreSQL 18 is restored into 15 and one of 15 into 18, whole, and each is served', {
  skip,
}, async (t) => {
  const first = await testApp()
  t.after(() => first.stop())
  const workspace = await aWorkspace(first.storage.db)
  const owner = await aMember(workspace, 'owner')
  const team = await aTeam(owner)
  const run = await aRun(owner, team, await aStory(owner, team))
  const { token } = await aToken(owner)

  const older = await startOlder()
  const newer = urlOf(await emptyDatabase())
  const versions: number[] = []
  let from = first
  for (const [place, databaseUrl] of Object.entries({ older, newer })) {
    const target = path.join(folder, place)
    const backup = path.join(folder, `${place}-backup`)
    const config = readConfig({ DATA_DIR: path.join(folder, 'none'), SECRET_KEY: secretKey })
    const { connection } = from.storage
    const made = await makeBackup({ config, connection, id: newId(new Date()), passphrase: null }, backup)
    const restored = await restoreBackup(readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: target }), {
      ...{ log: createLog({ level: 'silent' }), passphrase: null, pauseTeams: false },
      database: createReadStream(findPart(backup, 'database')!),
      secrets: createReadStream(findPart(backup, 'secrets')!),
    })
    assert.equal(restored.rows, made.rows)
    assert.deepEqual(
      restored.log.workspaces.flatMap(({ findings }) => findings),
      [],
    )
    from = await testApp({ databaseUrl, env: { DATA_DIR: target } })
    const there = from
    t.after(() => there.stop())
    assert.equal((await from.get(`/v1/runs/${run.key}`, token)).status, 200)
    const [{ version } = {}] = await sql(
      databaseUrl,
      `select current_setting('server_version_num')::int as version`,
    )
    versions.push(Math.floor(Number(version) / 10_000))
  }
  assert.deepEqual(versions, [15, 18])
})
