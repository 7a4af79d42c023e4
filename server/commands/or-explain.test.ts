import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { createSecureContext } from 'node:tls'
import pg from 'pg'
import { startApp } from '../app/app.ts'
import { readConfig } from '../app/config.ts'
import { TooSlow } from '../infra/db/away.ts'
import { remedyFor, whyPostgresEnded } from '../infra/db/embedded.ts'
import { migrate, refuseOldServer } from '../infra/db/migrate.ts'
import { planMigrations } from '../infra/db/plan-migrations.ts'
import { createLog } from '../infra/log.ts'
import { urlOf } from '../test/app.ts'
import { template } from '../test/cluster.ts'
import { emptyDatabase, superuserIn } from '../test/database.ts'
import { run as backUp } from './backup.ts'
import { explanationOf } from './or-explain.ts'

/** What an operator gets wrong is told in a sentence with a remedy, never as a stack. */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-explain-'))
after(() => rm(folder, { recursive: true, force: true }))
const database = await emptyDatabase(template)
const taken = createServer().listen(0, '127.0.0.1')
await once(taken, 'listening')
after(() => taken.close())
const port = () => String((taken.address() as { port: number }).port)

const start = (env: Record<string, string>, log: string[] = []) =>
  startApp(
    readConfig({
      ...{ DATABASE_URL: urlOf(database), DATA_DIR: folder, PORT: '0', OPERATOR_PORT: 'off' },
      ...{ SECRET_KEY: 'a key for tests that is long enough', DATABASE_CONNECTIONS: '5', ...env },
    }),
    { log: createLog({ level: 'warn', to: { write: (line) => log.push(line) } }) },
  ).then((app) => app.stop())

/** In an empty database, as a user of no other right than to log in. */
async function asStranger(prepare: (user: string, database: string) => string = () => 'select') {
  const empty = await emptyDatabase()
  const user = `stranger_${empty.database}`
  const superuser = new pg.Client(superuserIn(empty))
  await superuser.connect()
  await superuser.query(`create role ${user} login password 'stranger'; ${prepare(user, empty.database)}`)
  await superuser.end()
  return { ...empty, user, password: 'stranger' }
}

/** Who owns the database and has not been given the role. */
const asOwner = () => asStranger((user, name) => `alter database ${name} owner to ${user}`)

/** What is at the address instead of a database that lets us in; null says nothing at all. */
async function insteadOfDatabase(answer: string | null, query = ''): Promise<unknown> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (answer !== null) socket.on('data', () => socket.end(answer, 'latin1'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return migrate({ connectionString: `postgresql://user:hunter2@127.0.0.1:${port}/x${query}` }).finally(() =>
    server.close(),
  )
}

/** As PostgreSQL and poolers refuse a session. */
function refusal(code: string, message: string): string {
  const fields = `SFATAL\0VFATAL\0C${code}\0M${message}\0\0`
  const length = Buffer.alloc(4)
  length.writeInt32BE(fields.length + 4)
  return `E${length.toString('latin1')}${fields}`
}

async function statementIn(connection: pg.ClientConfig, text: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(text).finally(() => client.end())
}

const raising = (code: string) => `do $$ begin raise 'so it is' using errcode = '${code}'; end $$`

async function onStandby(): Promise<void> {
  const empty = await emptyDatabase()
  await migrate({ ...empty, options: '-c default_transaction_read_only=on' })
}

/** In a database that is not empty, or not as ours have to be. */
async function prepared(prepare: string, create = ''): Promise<Awaited<ReturnType<typeof emptyDatabase>>> {
  const empty = await emptyDatabase()
  const run = async (database: string, text: string) => {
    const superuser = new pg.Client({ ...superuserIn(empty), database })
    await superuser.connect()
    await superuser.query(text).finally(() => superuser.end())
  }
  if (create) {
    await run('postgres', `drop database ${empty.database}`)
    await run(
      'postgres',
      `create database ${empty.database} owner ${empty.user} template template0 ${create}`,
    )
  }
  await run(empty.database, prepare)
  return empty
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
  [
    'no right to create tables',
    async () => migrate(await asStranger()),
    /permission denied.*must own the database/,
  ],
  [
    'a user who is not allowed to act as signalbox_app',
    async () => start({ DATABASE_URL: urlOf(await asOwner()) }),
    /cannot act as signalbox_app.*run "grant signalbox_app to stranger_\w+;" and start.*AUDIT_GUARD=triggers/,
  ],
  [
    'a wrong password',
    () => migrate({ ...database, user: 'no_such_user', password: 'wrong' }),
    /authentication failed for user "no_such_user"\. Check user and password in DATABASE_URL/,
  ],
  [
    'a database server that is not there',
    () => migrate({ connectionString: 'postgresql://user@127.0.0.1:1/x' }),
    /ECONNREFUSED 127\.0\.0\.1:1\. Start PostgreSQL, or check host and port in DATABASE_URL/,
  ],
  [
    'a database that asks for a password, and none',
    () => migrate({ connectionString: urlOf(database).replace(/:[^:@/]*@/, '@') }),
    /asks for a password, and DATABASE_URL has none\. Add it/,
  ],
  [
    'options that PostgreSQL does not know',
    () => migrate({ connectionString: `${urlOf(database)}?options=nonsense` }),
    /refused the connection: invalid command-line argument.*Check DATABASE_URL/,
  ],
  ['a database that says nothing', () => insteadOfDatabase(null), /did not answer in time.*firewall/],
  [
    'another server than PostgreSQL',
    () => insteadOfDatabase('HTTP/1.1 400 Bad Request\r\n\r\n'),
    /host and port in DATABASE_URL closed the connection\. Check that PostgreSQL is there/,
  ],
  [
    'another server than PostgreSQL, asked for TLS',
    () => insteadOfDatabase('HTTP/1.1 400 Bad Request\r\n\r\n', '?sslmode=require'),
    /host and port in DATABASE_URL closed the connection\. Check that PostgreSQL is there/,
  ],
  [
    'a database that starts',
    () => insteadOfDatabase(refusal('57P03', 'the database system is starting up')),
    /^the database system is starting up\. .*DATABASE_URL/,
  ],
  [
    'a pooler without the database',
    () => insteadOfDatabase(refusal('08P01', 'no such database: x')),
    /refused the connection: no such database: x\. Check DATABASE_URL, and the log/,
  ],
  [
    'a pooler that refuses for a reason of its own',
    () => insteadOfDatabase(refusal('0A000', 'no more of this')),
    /refused the connection: no more of this\. Check DATABASE_URL, and the log of/,
  ],
  [
    'a database that is not there',
    () => migrate({ ...database, database: 'no_such_database' }),
    /"no_such_database" does not exist\. Check its name in DATABASE_URL/,
  ],
  ['a read-only database', onStandby, /read-only.*Set DATABASE_URL to the primary/],
  [
    'too many connections',
    async () =>
      start({
        DATABASE_URL: urlOf(await asStranger((user) => `alter role ${user} connection limit 0`)),
      }),
    /^too many connections .*Lower DATABASE_CONNECTIONS.* or raise max_connections/,
  ],
  [
    'a database of another program, which notes migrations as we do',
    async () => migrate(await prepared('create table migrations (id serial, migration text, batch integer)')),
    /has tables of another program, such as migrations, .*one of its own\. Create it, and set DATABASE_URL/,
  ],
  [
    'what is to be done to a database of another program',
    async () => planMigrations(await prepared('create table customers (id integer)')),
    /has tables of another program, such as customers, .*Create it, and set DATABASE_URL/,
  ],
  [
    'a database with an encoding that lacks characters',
    async () => migrate(await prepared('select', `encoding 'LATIN1' locale 'C'`)),
    /encoding LATIN1, .*Create it again: create database .* encoding 'UTF8'/,
  ],
  [
    'a database without the schema public',
    async () => migrate(await prepared('drop schema public')),
    /Signalbox stores its tables in the schema public\. Create it/,
  ],
  [
    'a direct way to another database',
    async () => start({ DATABASE_DIRECT_URL: urlOf(await emptyDatabase()) }),
    /^DATABASE_DIRECT_URL leads to another database than DATABASE_URL\. Set it to the same one/,
  ],
  [
    'a statement that was cancelled',
    () => statementIn(database, `set statement_timeout = 10; select pg_sleep(60)`),
    /statement timeout\. If this happens again, .*DATABASE_STATEMENT_SECONDS, or statement_timeout/,
  ],
  [
    'a read that was given up',
    () => {
      throw new TooSlow('The statement took too long.')
    },
    /^The database took too long to answer\. .*raise DATABASE_STATEMENT_SECONDS/,
  ],
  [
    'a database whose disk is full',
    () => statementIn(database, raising('53100')),
    /^so it is\. The disk of the database is full\. Free some space/,
  ],
  ...['53200', '58030', 'XX001'].map((code): [string, () => unknown, RegExp] => [
    `a database that has ${code} to say`,
    () => statementIn(database, raising(code)),
    /^so it is\. The database server is in trouble: look at its log/,
  ]),
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
  [
    'a data folder whose key is a folder',
    async () => {
      const DATA_DIR = path.join(folder, 'with-a-folder')
      await mkdir(path.join(DATA_DIR, 'secret.key'), { recursive: true })
      await start({ DATA_DIR, SECRET_KEY: '' })
    },
    /secret\.key is a folder, and must be a file/,
  ],
  [
    'a backup below a file',
    async () => {
      const file = path.join(folder, 'a-file')
      await writeFile(file, '')
      await backUp({ values: {}, positionals: [path.join(file, 'x')] } as unknown as Parameters<
        typeof backUp
      >[0])
    },
    /a-file\/x cannot be used \(ENOTDIR\): a part of it is a file\. Name a folder on a disk/,
  ],
  [
    'an empty key',
    async () => {
      const DATA_DIR = path.join(folder, 'with-an-empty-key')
      await mkdir(DATA_DIR)
      await writeFile(path.join(DATA_DIR, 'secret.key'), '')
      await start({ DATA_DIR, SECRET_KEY: '' })
    },
    /secret\.key is damaged: .*Put it back from a backup/,
  ],
  ...['EPERM', 'EACCES', 'ELOOP', 'ENAMETOOLONG', 'EROFS'].map(
    (code) =>
      [
        `${code} in the data folder`,
        () => {
          throw Object.assign(new Error(`${code}: so it is, mkdir 'data/x'`), { code, path: 'data/x' })
        },
        /^E\w+: so it is, mkdir 'data\/x'\. Let this account read and write everything in DATA_DIR, or set/,
      ] as [string, () => unknown, RegExp],
  ),
  [
    'a full disk',
    () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    },
    /^ENOSPC: .*Free some space/,
  ],
  [
    'a folder of no setting that cannot be written to',
    () => {
      const code = 'EROFS'
      throw Object.assign(new Error(`${code}: read-only, mkdir '/mnt/x'`), { code, path: '/mnt/x' })
    },
    /^EROFS: (?!.*DATA_DIR).*Check that this account can use it, or name another/,
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

test('why the embedded database gave up is what it said last, not before', async () => {
  const file = path.join(folder, 'postgres.log')
  const line = (what: string) => `2026-11-18 21:00:02.174 UTC [13017] ${what}\n`
  await writeFile(file, line('FATAL:  the database system is shutting down'))
  const before = (await stat(file)).size
  assert.equal(await whyPostgresEnded(file, before), '')
  await appendFile(
    file,
    line('WARNING:  something else') +
      line('FATAL:  database files are incompatible with server') +
      line('DETAIL:  The data directory was initialized by PostgreSQL version 19.'),
  )
  assert.equal(
    await whyPostgresEnded(file, before),
    'database files are incompatible with server. The data directory was initialized by PostgreSQL version 19',
  )
  assert.equal(await whyPostgresEnded(path.join(folder, 'no.log'), 0), '')
})

test('why the embedded database gave up is told with a remedy', () => {
  for (const [words, remedy] of [
    [
      'could not extend file "base/1/2691": No space left on device',
      /^ Free some space on the disk, or set DATA_DIR/,
    ],
    ['could not map anonymous shared memory: Cannot allocate memory', /^ Give .* more memory/],
    ['data directory "data/postgres" has wrong ownership', /^ Let the account .* own everything .* DATA_DIR/],
    ['database files are incompatible with server', /^ Back up with the version .* and restore the backup/],
    ['something else', /^$/],
  ] as const)
    assert.match(remedyFor(words), remedy)
})

test('a database that takes every character as bytes is used, and the log says what would be better', async () => {
  const log: string[] = []
  const connection = await prepared('select', `encoding 'SQL_ASCII' locale 'C'`)
  await migrate(connection, { log: (line) => log.push(line) })
  assert.match(log.join('\n'), /encoding SQL_ASCII: .*A new one should have UTF8: .*encoding 'UTF8'/)
})

test('a database of another program is left as it is', async () => {
  const connection = await prepared('create table migrations (id serial, migration text, batch integer)')
  const columns = async () => {
    const client = new pg.Client(connection)
    await client.connect()
    const { rows } = await client
      .query(`select relname, attname from pg_attribute join pg_class c on c.oid = attrelid
        where relnamespace = 'public'::regnamespace and attnum > 0`)
      .finally(() => client.end())
    return rows
  }
  const before = await columns()
  await assert.rejects(start({ DATABASE_URL: urlOf(connection) }), /of another program/)
  assert.deepEqual(await columns(), before)
})

test('with another key, or with none, neither the database nor the data folder is touched', async (t) => {
  const mine = await emptyDatabase(template)
  const env = { DATABASE_URL: urlOf(mine) }
  await start(env)
  // As a newer version finds it, which has a migration to apply.
  const client = new pg.Client(mine)
  await client.connect()
  t.after(() => client.end())
  await client.query(`delete from migrations where number = (select max(number) from migrations)`)
  const applied = async () => (await client.query('select count(*)::int as n from migrations')).rows[0].n
  const before = await applied()
  const DATA_DIR = path.join(folder, 'another')
  for (const SECRET_KEY of ['another key for tests that is long enough', ''])
    await assert.rejects(start({ ...env, DATA_DIR, SECRET_KEY }), /set up with another SECRET_KEY/)
  assert.equal(await applied(), before)
  await assert.rejects(readdir(DATA_DIR), { code: 'ENOENT' })
})

test('with AUDIT_GUARD=triggers it serves as that user, and every start warns and names the remedy', async () => {
  const env = { DATABASE_URL: urlOf(await asOwner()), AUDIT_GUARD: 'triggers' }
  for (let starts = 0; starts < 2; starts += 1) {
    const log: string[] = []
    await start(env, log)
    assert.match(log.join(''), /cannot act as signalbox_app.*run \\"grant signalbox_app to stranger_\w+;\\"/)
  }
})

test('explained with a remedy: the demo with DATABASE_URL and a new folder', async () => {
  // What the demo has left in it is encrypted with the key of the folder before.
  await start({})
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const demo = spawn(
    process.execPath,
    [
      path.join(import.meta.dirname, '..', '..', 'demo', 'main.ts'),
      ...['--port', '0', '--data', path.join(folder, 'new')],
    ],
    {
      env: { PATH, NODE_COMPILE_CACHE, DATABASE_URL: urlOf(database) },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const closed = once(demo, 'close')
  const said = await text(demo.stderr)
  assert.deepEqual(await closed, [1, null])
  assert.match(said, /another SECRET_KEY\. Set SECRET_KEY to .*or copy secret\.key from its data folder/)
  assert.doesNotMatch(said, /\n +at /, 'no stack')
})
