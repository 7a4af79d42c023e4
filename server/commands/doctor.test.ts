import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import type { System } from '@signalbox/contract/app/system.ts'
import { readConfig } from '../app/config.ts'
import { version } from '../app/version.ts'
import { testApp, urlOf } from '../test/app.ts'
import { emptyDatabase } from '../test/database.ts'
import { aMember, aWorkspace } from '../test/factories.ts'
import { signedIn } from '../test/signed-in.ts'
import { examine } from './doctor.ts'

/** How the installation is doing, on the command line and on the page of those who own it. */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-doctor-'))
after(() => rm(folder, { recursive: true, force: true }))
const app = await testApp()
let isStopped = false
after(() => isStopped || app.stop())

const settings = { DATABASE_URL: app.databaseUrl, SECRET_KEY: 'a key for tests that is long enough' }

async function found(env: Record<string, string>) {
  const system = await examine(readConfig({ DATA_DIR: folder, ...env }))
  return { ...system, check: (name: string) => system.checks.find((one) => one.name === name) }
}

test('while a node serves, doctor says what is well, and that there is no backup', async () => {
  const { exitCode, state, check, nodes, database } = await found(settings)
  assert.deepEqual([exitCode, state], [3, 'warning'])
  for (const name of ['migrations', 'nodes', 'clock', 'database', 'audit_guard', 'secret_key', 'sealing'])
    assert.equal(check(name)?.state, 'ok', JSON.stringify(check(name)))
  assert.deepEqual(
    [check('backup')?.state, check('backup')?.says, check('backup')?.remedy?.startsWith('Set BACKUP_DIR')],
    ['warning', 'No backup yet.', true],
  )
  assert.deepEqual(
    nodes!.map(({ version, isServing }) => ({ version, isServing })),
    [{ version, isServing: true }],
  )
  assert.equal(database!.role, 'signalbox_app')
  assert.equal(Number(database!.migration?.slice(0, 4)), nodes![0]!.migration)
})

test('for people it prints a line each, with the remedy below it, and what needs care first', async () => {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '..', 'main.ts'), 'doctor'], {
    env: { PATH, NODE_COMPILE_CACHE, DATA_DIR: folder, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  assert.deepEqual([await closed, stderr], [3, ''])
  assert.match(stdout, /^warning {2}Backup: No backup yet\.\n {9}→ Set BACKUP_DIR/)
  assert.match(stdout, /^ok {7}Nodes: 1 node is serving, with version [\d.]+\.$/m)
  assert.match(stdout, /\n\nDatabase: PostgreSQL .*\nNode: [^\n]*\n$/)
})

test('the owners of the first workspace see the same in the app, and no one else does', async () => {
  const [first, second] = [await aWorkspace(app.storage.db), await aWorkspace(app.storage.db)]
  const read = async (workspace: typeof first, role: 'owner' | 'admin') => {
    const person = await aMember(workspace, role)
    const { cookie } = await signedIn(app, { ...person, slug: workspace.slug })
    const path = `/api/w/${workspace.slug}/system.read`
    const response = await app.get(path, undefined, { headers: { cookie } })
    const me = (await (await app.get('/api/me', undefined, { headers: { cookie } })).json()) as {
      workspaces: { isFirst: boolean }[]
    }
    return { status: response.status, body: await response.json(), isFirst: me.workspaces[0]!.isFirst }
  }
  const seen = await read(first, 'owner')
  assert.equal(seen.status, 200)
  assert.equal(seen.isFirst, true)
  assert.ok((seen.body as System).checks.some(({ name }) => name === 'backup'))
  assert.equal((await read(first, 'admin')).status, 403)
  const other = await read(second, 'owner')
  assert.deepEqual([other.status, other.isFirst], [403, false])
})

test('what fails is said with its remedy and ends with 1, and nothing is made on the way', async () => {
  const foreign = await found({ ...settings, SECRET_KEY: 'another key that is also long enough' })
  assert.deepEqual([foreign.exitCode, foreign.checks[0]!.name], [1, 'secret_key'])
  const keyless = await found({ DATABASE_URL: app.databaseUrl })
  assert.match(keyless.check('secret_key')!.says, /no secret\.key/)
  const nowhere = await found({ ...settings, DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/none' })
  assert.deepEqual([nowhere.exitCode, nowhere.checks.map(({ name }) => name)], [1, ['database']])
  assert.match(nowhere.checks[0]!.says, /ECONNREFUSED/)
  const empty = await found({ ...settings, DATABASE_URL: urlOf(await emptyDatabase()) })
  assert.deepEqual(
    [empty.exitCode, empty.checks[0]!.says],
    [1, 'The database lacks tables that this version needs.'],
  )
  const { DATABASE_URL: _, ...embedded } = settings
  assert.match((await found(embedded)).checks[0]!.says, /There is no database in .* yet\./)
  await app.stop()
  isStopped = true
  const stopped = await found(settings)
  assert.deepEqual([stopped.exitCode, stopped.check('nodes')?.remedy], [1, 'Start the server.'])
  assert.deepEqual(await readdir(folder), [])
})

test('a database that cannot be checked has the remedy of what is wrong with it, each once', async () => {
  const check = async (change: (url: URL) => void) => {
    const url = new URL(urlOf(await emptyDatabase()))
    change(url)
    const [only, ...others] = (await found({ ...settings, DATABASE_URL: url.href })).checks
    assert.deepEqual([only?.state, others], ['failed', []])
    return [only!.says, only!.remedy!] as const
  }
  const cases: [change: (url: URL) => void, says: RegExp, remedy: RegExp][] = [
    [
      (url) => {
        url.password = 'wrong'
      },
      /^The database cannot be checked: password authentication failed for user "[^"]+"\.$/,
      /^Check user and password in DATABASE_URL\. /,
    ],
    [
      (url) => {
        url.port = '1'
      },
      /^The database cannot be checked: connect (ECONNREFUSED|ENOENT) \S+\.$/,
      /^Start PostgreSQL, or check host and port in DATABASE_URL\. /,
    ],
    [
      (url) => {
        url.pathname = '/nothing'
      },
      /^The database cannot be checked: database "nothing" does not exist\.$/,
      /^Check its name in DATABASE_URL, or create it /,
    ],
  ]
  for (const [change, says, remedy] of cases) {
    const [said, advised] = await check(change)
    assert.match(said, says)
    assert.match(advised, remedy)
    assert.match(advised, / Run doctor with the settings of the server\.$/)
  }
})
