import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { createSecureContext } from 'node:tls'
import pg from 'pg'
import { startApp } from '../app/app.ts'
import { readConfig } from '../app/config.ts'
import { migrate, refuseOldServer } from '../infra/db/migrate.ts'
import { createLog } from '../infra/log.ts'
import { urlOf } from '../test/app.ts'
import { template } from '../test/cluster.ts'
import { emptyDatabase, superuserIn } from '../test/database.ts'
import { explanationOf } from './or-explain.ts'

/** What an operator gets wrong is told in a sentence with a remedy, never as a stack. */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-explain-'))
after(() => rm(folder, { recursive: true, force: true }))
const database = await emptyDatabase(template)
const taken = createServer().listen(0, '127.0.0.1')
await once(taken, 'listening')
after(() => taken.close())
const port = () => String((taken.address() as { port: number }).port)

const start = (env: Record<string, string>) =>
  startApp(
    readConfig({
      ...{ DATABASE_URL: urlOf(database), DATA_DIR: folder, PORT: '0', OPERATOR_PORT: 'off' },
      ...{ SECRET_KEY: 'a key for tests that is long enough', DATABASE_CONNECTIONS: '5', ...env },
    }),
    { log: createLog({ level: 'silent' }) },
  ).then((app) => app.stop())

/** As a user who owns nothing. */
async function asStranger(): Promise<void> {
  const empty = await emptyDatabase()
  const superuser = new pg.Client(superuserIn(empty))
  await superuser.connect()
  await superuser.query(`create role stranger_${empty.database} login password 'stranger'`)
  await superuser.end()
  await migrate({ ...empty, user: `stranger_${empty.database}`, password: 'stranger' })
}

async function onStandby(): Promise<void> {
  const empty = await emptyDatabase()
  await migrate({ ...empty, options: '-c default_transaction_read_only=on' })
}

const cases: [what: string, fail: () => unknown, said: RegExp][] = [
  [
    'a port in use',
    () => start({ PORT: port() }),
    /^PORT \d+ is already in use on 127\.0\.0\.1\. .*set PORT/,
  ],
  ['the operator’s port in use', () => start({ OPERATOR_PORT: port() }), /^OPERATOR_PORT \d+ is already/],
  [
    'an address of another machine',
    () => start({ HOST: '198.51.100.7', TRUST_PROXY: '127.0.0.1' }),
    /^HOST 198.*is not an address of this machine/,
  ],
  ['no right to create tables', asStranger, /permission denied.*must own the database/],
  ['a read-only database', onStandby, /read-only.*Set DATABASE_URL to the primary/],
  ['PostgreSQL 14', () => refuseOldServer('14.11 (Debian 14.11-1)'), /14\.11.*needs 15 or later\. Upgrade/],
  ['a key that is none', () => createSecureContext({ key: 'no key' }), /Check TLS_CERT and TLS_KEY/],
  [
    'a data folder below a file',
    async () => {
      await writeFile(path.join(folder, 'file'), '')
      await start({ DATABASE_URL: '', DATA_DIR: path.join(folder, 'file', 'data') })
    },
    /Set DATA_DIR to a folder/,
  ],
]

for (const [what, fail, said] of cases)
  test(`explained with a remedy: ${what}`, async () => {
    const error = await Promise.resolve()
      .then(fail)
      .then(
        () => assert.fail('it did not fail'),
        (one) => one,
      )
    const sentence = explanationOf(error)
    assert.match(sentence, said)
    assert.doesNotMatch(sentence, /\n +at /, 'no stack')
  })
