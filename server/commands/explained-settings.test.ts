import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { ConfigError, readConfig } from '../app/config.ts'
import { migrate } from '../infra/db/migrate.ts'
import { librariesFolder } from '../quick-start.ts'
import { emptyDatabase } from '../test/database.ts'
import { snsFixture } from '../test/on-call/sns.ts'
import { explanationOf } from './or-explain.ts'

/** Settings that are well formed and still wrong are told in a sentence, before anything is touched. */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-settings-'))
after(() => rm(folder, { recursive: true, force: true }))
const [cert, key, nothing] = ['host.crt', 'host.key', 'nothing.pem'].map((name) => path.join(folder, name))
const otherKey = path.join(folder, 'other.key')
await writeFile(cert!, snsFixture('test-host.crt'))
await writeFile(key!, snsFixture('test-host.key'))
await writeFile(nothing!, 'nothing\n')
await writeFile(
  otherKey,
  (await import('node:crypto')).generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey,
)

const database = 'postgresql://user:hunter2@db.example.com/signalbox'
const wrong: [what: string, env: Record<string, string>, said: RegExp][] = [
  [
    'a proxy by its name',
    { TRUST_PROXY: '10.0.0.5, proxy.internal' },
    /^TRUST_PROXY must be .*"proxy\.internal"/,
  ],
  ['a network that is none', { TRUST_PROXY: '10.0.0.0/99' }, /^TRUST_PROXY must be .*"10\.0\.0\.0\/99"/],
  ['a certificate that is none', { TLS_CERT: nothing!, TLS_KEY: key! }, /^TLS_CERT must be a PEM file/],
  ['a key that is none', { TLS_CERT: cert!, TLS_KEY: nothing! }, /^TLS_KEY must be a PEM file/],
  ['a key of another certificate', { TLS_CERT: cert!, TLS_KEY: otherKey }, /^TLS_CERT and TLS_KEY do not/],
  ['a TLS file that is a folder', { TLS_CERT: folder, TLS_KEY: key! }, /^TLS_CERT: the file .* \(EISDIR\)/],
  [
    'an unknown sslmode',
    { DATABASE_URL: `${database}?sslmode=on` },
    /sslmode must be one of disable, .*not "on"/,
  ],
  ['a CA that is not there', { DATABASE_URL: `${database}?sslrootcert=/no/ca.pem` }, /sslrootcert.*ENOENT/],
]
await symlink('circle', path.join(folder, 'circle'))
await symlink('nowhere', path.join(folder, 'dangling'))
const archive = { RETENTION_AUDIT_MONTHS: '12' }
for (const name of ['DATA_DIR', 'BACKUP_DIR', 'CHECKPOINT_DIR', 'AUDIT_ARCHIVE_DIR']) {
  for (const value of process.platform === 'linux' ? ['/proc/x', '/proc/self/x/y', '/sys/x'] : [])
    wrong.push([
      `${name} ${value}`,
      { ...archive, AUDIT_ARCHIVE_DIR: folder, [name]: value },
      new RegExp(`^${name} .* is in (proc|sysfs), .*Set ${name} to a folder on a disk\\.$`),
    ])
  const places: [what: string, place: string][] = [
    ['a file', cert!],
    ['below a file', path.join(cert!, 'x')],
    ['a link in a circle', path.join(folder, 'circle')],
    ['behind a link that leads nowhere', path.join(folder, 'dangling', 'x')],
    ['a name that is too long', path.join(folder, 'x'.repeat(300))],
  ]
  for (const [what, value] of places)
    wrong.push([
      `${name} is ${what}`,
      { ...archive, AUDIT_ARCHIVE_DIR: folder, [name]: value },
      new RegExp(`^${name} /.*Set ${name} to a folder on a disk\\.$`),
    ])
}
wrong.push(
  ['a number of proxies', { TRUST_PROXY: '1' }, /^TRUST_PROXY must be addresses or networks.*"1" is neither/],
  ...[{}, { HOST: '0.0.0.0', TRUST_PROXY: 'loopback' }].map((env): (typeof wrong)[number] => [
    `one port for both, on ${env.HOST ?? 'the same address'}`,
    { ...env, PORT: '4500', OPERATOR_PORT: '4500' },
    /^PORT and OPERATOR_PORT are both 4500\. Set one of them to another port\.$/,
  ]),
  ['a scheme in HOST', { HOST: 'http://127.0.0.1' }, /^HOST must be an address or a name without scheme/],
  ['a port in HOST', { HOST: '127.0.0.1:80' }, /^HOST must be an address or a name without scheme and port/],
  [
    'a port that no database has',
    { DATABASE_URL: 'postgres://user:hunter2@db.example.com:99999/x' },
    /^DATABASE_URL is not an address that can be read\. Check its host and port/,
  ],
  ['a port that is none', { DATABASE_URL: `${database}?port=abc` }, /^DATABASE_URL: port must be a number/],
  [
    'a public address with a path',
    { PUBLIC_URL: 'https://example.com/signalbox' },
    /^PUBLIC_URL must not contain a path such as \/signalbox.*host name of its own/,
  ],
  ...['PUBLIC_URL', 'SIGNAL_URL'].flatMap((name) =>
    ['https://user:hunter2@example.com', 'https://example.com/?a=b', 'https://example.com/#a'].map(
      (value) =>
        [
          `${name} ${value}`,
          { [name]: value },
          new RegExp(`^${name} must not contain a user name, password, query or fragment\\.$`),
        ] as [string, Record<string, string>, RegExp],
    ),
  ),
)

for (const [what, env, said] of wrong)
  test(`refused as configuration: ${what}`, () => {
    assert.throws(
      () => readConfig(env),
      (error: Error) => {
        assert.ok(error instanceof ConfigError)
        assert.match(error.message, said)
        assert.doesNotMatch(error.message, /hunter2|\n/)
        return true
      },
    )
  })

// What root may not write to is a matter of the disk, so root lends it an account, as for the embedded database.
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const config = new URL('../app/config.ts', import.meta.url)

test('a folder that a server could not write to is refused before it touches anything, and not to a command', async () => {
  const closed = path.join(folder, 'closed')
  await mkdir(closed, { mode: 0o555 })
  await chmod(folder, 0o755)
  const env: Record<string, string> = {
    DATA_DIR: path.join(closed, 'data'),
    BACKUP_DIR: closed,
    CHECKPOINT_DIR: path.join(closed, 'a', 'b'),
    AUDIT_ARCHIVE_DIR: closed,
    RETENTION_AUDIT_MONTHS: '12',
  }
  const script = `import { readConfig, refuseUnwritableFolders } from '${config}'
    const config = readConfig(process.env)
    try { refuseUnwritableFolders(config) } catch ({ message }) { process.stdout.write(message) }`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    ...{ ...account, env: { ...env, PATH: process.env.PATH! } },
  })
  const lines = stdout.split('\n')
  assert.equal(lines.length, 4, stdout)
  for (const name of ['DATA_DIR', 'BACKUP_DIR', 'AUDIT_ARCHIVE_DIR', 'CHECKPOINT_DIR'])
    assert.ok(
      lines.includes(
        `${name} ${env[name]} cannot be written to (EACCES). Give this account the right to, or set ${name} to another folder.`,
      ),
      stdout,
    )
  assert.deepEqual(await readdir(closed), [])
})

test('proxies, TLS files and sslmode that are right are taken', () => {
  const TRUST_PROXY = '10.0.0.5, fd00::/8, 10.1.0.0/16, loopback'
  assert.equal(readConfig({ TRUST_PROXY, TLS_CERT: cert!, TLS_KEY: key! }).trustProxy.length, 4)
  assert.equal(readConfig({ HOST: '[::1]' }).host, '::1')
  for (const [mode, becomes] of Object.entries({ disable: 'disable', require: 'verify-full' }))
    assert.equal(
      readConfig({ DATABASE_URL: `${database}?sslmode=${mode}&sslrootcert=${cert}` }).databaseUrl,
      `${database}?sslmode=${becomes}&sslrootcert=${becomes === mode ? cert : encodeURIComponent(cert!)}`,
    )
})

test('one port on two addresses is taken', () => {
  const { port, operator } = readConfig({ HOST: '127.0.0.1', OPERATOR_HOST: '127.0.0.2', PORT: '4401' })
  assert.deepEqual([port, operator?.port], [4401, 4401])
})

test('a database on a unix socket is reached by ?host=', async () => {
  const { host, port, user, password, database: name } = await emptyDatabase()
  const asked = new URLSearchParams({ host, port: String(port) })
  const { databaseUrl } = readConfig({
    DATABASE_URL: `postgresql://${user}:${encodeURIComponent(password)}@/${name}?${asked}`,
  })
  await migrate({ connectionString: databaseUrl! })
})

/** A PostgreSQL as far as the question for TLS, which it answers with `offer`. */
async function listening(offer: 'S' | 'N'): Promise<number> {
  const server: Server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(offer)
      if (offer === 'S')
        new TLSSocket(socket, {
          ...{ isServer: true, cert: snsFixture('test-host.crt'), key: snsFixture('test-host.key') },
        }).on('error', () => {})
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return (server.address() as { port: number }).port
}

const refused: [what: string, offer: 'S' | 'N', asked: string, said: RegExp][] = [
  ['a private authority', 'S', 'sslmode=require', /private authority\. Add sslrootcert=/],
  ['another name', 'S', `sslmode=verify-full&sslrootcert=${cert}`, /is for another name\. Use that name/],
  ['no TLS at all', 'N', 'sslmode=require', /does not offer TLS, .*set sslmode=disable/],
]
for (const [what, offer, asked, said] of refused)
  test(`explained with a remedy: a database with ${what}`, async () => {
    const port = await listening(offer)
    const { databaseUrl } = readConfig({ DATABASE_URL: `postgresql://user@127.0.0.1:${port}/x?${asked}` })
    const error = await migrate({ connectionString: databaseUrl! }).then(
      () => assert.fail('it was taken'),
      (one) => one,
    )
    const sentence = explanationOf(error)
    assert.match(sentence, said)
    assert.doesNotMatch(sentence, /\n +at |--use-system-ca/)
  })

test('what one account has built, another can read', async () => {
  const web = path.join(import.meta.dirname, '..', '..', 'web', 'dist')
  for (const [built, build] of [
    [librariesFolder, '../build.ts'],
    [web, '../../web/build.ts'],
  ] as const) {
    // As earlier versions left it.
    if (await stat(built).catch(() => null)) await chmod(built, 0o700)
    await import(build)
    assert.equal((await stat(built)).mode & 0o777, 0o755)
  }
})
