import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import pg from 'pg'
import { findPart } from '../../app/backup.ts'
import { backUpIfDue } from '../../app/backups.ts'
import { readConfig } from '../../app/config.ts'
import { restoreBackup } from '../../app/restore.ts'
import type { Context } from '../../domain/context.ts'
import { lastBackup } from '../../domain/installation/backups/last.ts'
import { erasePerson } from '../../domain/installation/erasure/erase.ts'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { change } from '../../domain/record/audit/change.ts'
import { addEffect } from '../../domain/record/outbox/add.ts'
import { createLog } from '../../infra/log.ts'
import { testApp, urlOf } from '../app.ts'
import { auditEvents } from '../audit-events.ts'
import { emptyDatabase } from '../database.ts'
import { aMember, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'
import { signedIn } from '../signed-in.ts'
import { until } from '../until.ts'
import { recorded, writeUntil } from './acknowledged-exports.ts'

/**
 * A backup is made while deliveries come in, and everything that was acknowledged before it is there after a restore.
 *
 * FAULTS=all also plays the manual with the real commands (`npm run test:backup`): on the default installation, which is
 * killed, and on a database of one's own, through standard output.
 */

const isThorough = process.env.FAULTS === 'all'
const secretKey = 'a key for tests that is long enough'
const passphrase = 'correct horse battery staple'
const log = createLog({ level: 'silent' })
const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-backup-'))
const running = new Set<ChildProcess>()
after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

test('a backup that the server makes under load is restored whole, once, and the log tells the loss from tampering', async (t) => {
  const dir = path.join(folder, 'backups')
  const backup = { BACKUP_DIR: dir, BACKUP_PASSPHRASE: passphrase, BACKUP_KEEP: '1' }
  const dataDir = path.join(folder, 'first')
  const app = await testApp({ env: { ...backup, DATA_DIR: dataDir } })
  t.after(() => app.stop())
  const owner = await anOwner(app.storage.db)
  const { token } = await aToken(owner)
  const team = await aTeam(owner)
  await aStory(owner, team)
  const browser = await signedIn(app, owner)
  assert.equal((await browser.read('teams.list')).status, 200)
  // Waits for a long time, so that it is not sent during the test.
  await change(owner, async (tx) => {
    const data = { notification: randomUUID() }
    await addEffect(owner, tx, { kind: 'mail_notification', key: 'mail', data })
    return { value: null, audit: [] }
  })
  await sql(app.databaseUrl, `update effects set due_at = now() + interval '1 day'`)
  const asking = await aMember(owner, 'member')
  const send = await aSender(owner, app.storage.secrets, app.signalUrl)

  const before = await Promise.all(Array.from({ length: 10 }, () => send()))
  let isMaking = true
  const meanwhile = (async () => {
    while (isMaking) await send()
  })()
  const config = readConfig({
    DATABASE_URL: app.databaseUrl,
    DATA_DIR: dataDir,
    SECRET_KEY: secretKey,
    ...backup,
  })
  const base = { config, clock: app.clock, storage: app.storage, log }
  const made = await Promise.all([1, 2, 3].map(() => backUpIfDue(base, dir)))
  isMaking = false
  await meanwhile
  assert.deepEqual(made.filter(Boolean), [true], 'of three nodes, one makes it')
  assert.equal(await backUpIfDue(base, dir), false, 'the next is due tomorrow')
  const [name, ...others] = await readdir(dir)
  assert.deepEqual(others, [])
  const { good, tried } = await lastBackup(app.storage.db)
  assert.equal(good?.place, path.join(dir, name!))
  assert.ok(good.encrypted && good.rows > 100 && good.bytes > 1_000)
  assert.equal(tried?.error, null)
  const copies = (await auditEvents(app.storage.db, owner.workspaceId)).filter(
    ({ event }) => event === 'backup_created',
  )
  assert.deepEqual(
    copies.map(({ details }) => [details.place, details.bytes]),
    [[good.place, good.bytes]],
  )

  const lost = [await send(), await send()]
  await aStory(owner, team)
  await erasePerson({ ...owner, actor: { type: 'system', name: 'operator' } }, asking.personId)
  const lostKeys = await sql(app.databaseUrl, 'select max(last_story_number) as last_story_number from teams')
  await app.stop()

  const databaseUrl = urlOf(await emptyDatabase())
  const target = path.join(folder, 'second')
  const restoreTo = (env: Record<string, string>, secret = passphrase) =>
    restoreBackup(readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: target, ...env }), {
      ...{ log, passphrase: secret, pauseTeams: true },
      database: createReadStream(findPart(good.place!, 'database')!),
      secrets: createReadStream(findPart(good.place!, 'secrets')!),
    })
  await assert.rejects(restoreTo({}, 'another passphrase altogether'), /another passphrase/)
  await assert.rejects(
    restoreTo({ SECRET_KEY: 'another key that is long enough too' }),
    /was made with a different key than the one in SECRET_KEY/,
  )
  await assert.rejects(restoreTo({ DATABASE_URL: app.databaseUrl }), /The database is not empty/)
  // The one file that goes into the new folder before.
  await mkdir(target, { recursive: true })
  await copyFile(path.join(dataDir, 'erased-people.jsonl'), path.join(target, 'erased-people.jsonl'))
  const done = await restoreTo({})
  assert.equal(done.erasedAgain, 1)
  assert.deepEqual(await sql(databaseUrl, `select id from people where email = '${asking.email}'`), [])
  assert.equal(done.rows, good.rows)
  assert.deepEqual([done.settled.paused, done.settled.withdrawn, done.settled.workspaces], [2, 1, 1])
  assert.deepEqual(
    done.log.workspaces.flatMap(({ findings }) => findings),
    [],
  )
  await assert.rejects(restoreTo({}), /The database is not empty/)
  assert.equal((await readFile(path.join(target, 'secret.key'), 'utf8')).trim(), secretKey)

  // The checkpoints of the server that was lost, which know of more than was restored.
  const kept = path.join(folder, 'kept.jsonl')
  await copyFile(path.join(dataDir, 'audit-checkpoints.jsonl'), kept)
  const checked = await signalbox(
    { DATABASE_URL: databaseUrl, DATA_DIR: target },
    'verify-audit',
    '--checkpoint',
    kept,
  )
  assert.match(
    checked.output,
    /: verified\.\nRestored at .* from a backup of .* is lost: at least \d+ entries\.\n1 personal value was erased on request\. .*\n$/,
  )
  assert.equal(checked.code, 0)

  const again = await testApp({ databaseUrl, env: { DATA_DIR: target } })
  t.after(() => again.stop())
  const deliveries = async () =>
    new Set((await sql(databaseUrl, 'select id from deliveries')).map(({ id }) => id as string))
  await until('deliveries are taken up', async () => (await deliveries()).size >= before.length)
  const there = await deliveries()
  assert.deepEqual(
    before.filter((id) => !there.has(id)),
    [],
    'what was acknowledged before is there',
  )
  assert.deepEqual(
    lost.filter((id) => there.has(id)),
    [],
  )
  assert.equal((await again.get('/v1/teams', token)).status, 200)
  assert.equal(
    (await fetch(`${again.url}/api/w/${owner.slug}/teams.list`, { headers: { cookie: browser.cookie } }))
      .status,
    401,
  )
  const [numbers] = await sql(databaseUrl, 'select max(last_story_number) as last_story_number from teams')
  assert.ok(
    Number(numbers!.last_story_number) > Number(lostKeys[0]!.last_story_number),
    'no number is given out twice',
  )
  const [effect] = await sql(databaseUrl, `select due_at, last_error from effects where key = 'mail'`)
  assert.equal(effect!.due_at, null)
  assert.match(String(effect!.last_error), /Restored from a backup of .*: it may have been sent/)
})

const commands = { skip: isThorough ? false : 'FAULTS=all plays it' }

test(
  'the default installation is backed up while it works, killed, and restored into an empty folder',
  commands,
  async () => {
    const first = { DATA_DIR: path.join(folder, 'default') }
    const serving = await serve(first)
    const token = await aTokenBy(first)
    const acknowledged: string[] = []
    let isOver = false
    const writers = Array.from({ length: 4 }, () =>
      writeUntil(serving.url, token, () => isOver, acknowledged),
    )
    await until('there is something to lose', () => acknowledged.length > 200)
    const [before, backup] = [acknowledged.length, path.join(folder, 'default-backup')]
    const made = await signalbox(first, 'backup', backup)
    assert.match(made.output, /Backed up to .* read back and complete\.\nIt is not encrypted/)
    const promised = acknowledged.slice(0, before)
    await until('something is lost', () => acknowledged.length > before + 50)
    const database = await readFile(path.join(first.DATA_DIR, 'postgres', 'postmaster.pid'), 'utf8')
    serving.child.kill('SIGKILL')
    process.kill(Number(database.split('\n')[0]), 'SIGKILL')
    isOver = true
    await Promise.all(writers)

    assert.match((await signalbox({}, 'restore', '--check', backup)).output, /is complete: [\d,]+ rows/)
    assert.match((await signalbox(first, 'restore', backup)).output, /data folder .* is not empty/)
    const second = { DATA_DIR: path.join(folder, 'restored') }
    const restored = await signalbox(second, 'restore', backup)
    assert.match(restored.output, /compared with the backup\.\nThe audit log is verified/)
    assert.equal(restored.code, 0)
    // Before a server has run, too.
    const checked = await signalbox(second, 'verify-audit')
    assert.equal(checked.code, 0, checked.output)
    const again = await serve(second)
    const there = await recorded(again.url, token)
    assert.deepEqual(
      promised.filter((id) => !there.has(id)),
      [],
    )
    again.child.kill('SIGTERM')
    await once(again.child, 'exit')
    assert.equal((await signalbox(second, 'verify-audit')).code, 0)
  },
)

test(
  'a database of one’s own goes through standard output, encrypted, and one that was set back elsewhere is recorded',
  commands,
  async () => {
    const passphraseFile = path.join(folder, 'passphrase')
    await writeFile(passphraseFile, `${passphrase}\n`)
    const common = { SECRET_KEY: secretKey, BACKUP_PASSPHRASE_FILE: passphraseFile }
    const first = {
      ...common,
      DATABASE_URL: urlOf(await emptyDatabase()),
      DATA_DIR: path.join(folder, 'own'),
    }
    const second = {
      ...common,
      DATABASE_URL: urlOf(await emptyDatabase()),
      DATA_DIR: path.join(folder, 'own-2'),
    }
    const serving = await serve(first)
    const token = await aTokenBy(first)
    const file = path.join(folder, 'database.tar.zst.age')
    const args = [main, 'backup', '--only', 'database', '-']
    const shell = `"$NODE" ${args.join(' ')} | tee '${file}' | DATABASE_URL="$TO" DATA_DIR="$TO_DIR" "$NODE" ${main} restore --keep-running --database -`
    const piped = spawn('sh', ['-c', shell], {
      env: {
        ...environment(first),
        NODE: process.execPath,
        TO: second.DATABASE_URL,
        TO_DIR: second.DATA_DIR,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const told = Buffer.concat(await Array.fromAsync(piped.stdout)).toString()
    assert.match(told, /Restored from the backup of .*\nThe audit log is verified/)
    assert.equal((await readFile(file)).subarray(0, 21).toString(), 'age-encryption.org/v1')
    const recording = ['restore', '--record', new Date().toISOString(), '--json']
    assert.match((await signalbox(first, ...recording)).output, /A server is running on this database/)
    serving.child.kill('SIGTERM')
    await once(serving.child, 'exit')
    const done = await signalbox(second, ...recording)
    assert.deepEqual([done.code, JSON.parse(done.output).findings], [0, []])
    assert.match((await signalbox(second, 'verify-audit')).output, /verified\.\nRestored at .*\nRestored at /)
    const again = await serve(second)
    const answer = await fetch(`${again.url}/v1/teams`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(answer.status, 200)
  },
)

async function anOwner(db: Context['db']) {
  const workspace = await aWorkspace(db)
  return { ...(await aMember(workspace, 'owner')), slug: workspace.slug }
}

/** Sends alerts that are acknowledged; returns the delivery of each. */
async function aSender(owner: Context, secrets: Parameters<typeof addSource>[1], base: string) {
  const { slug } = await aTeam(owner)
  const service = fromJson(await createService(owner, { name: 'checkout', team: slug, settings: {} }))
  const source = await addSource(owner, secrets, { kind: 'generic', name: 'Scripts', services: [service.id] })
  const { token } = fromJson(source.source)
  return async () => {
    const body = JSON.stringify({ title: 'Slow', fingerprint: randomUUID(), service: 'checkout' })
    const proof = createHmac('sha256', source.secret!).update(body).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-service-signature': `sha256=${proof}` }
    const response = await fetch(`${base}/${token}`, { method: 'POST', headers, body })
    assert.equal(response.status, 202, await response.clone().text())
    return ((await response.json()) as { deliveryId: string }).deliveryId
  }
}

async function sql(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

const main = path.join(import.meta.dirname, '..', '..', 'main.ts')

const environment = (settings: Record<string, string>) => ({
  ...process.env,
  ...{ PORT: '0', OPERATOR_PORT: 'off', RATE_LIMIT_PER_MINUTE: '1000000', LOG_LEVEL: 'info' },
  ...settings,
})

async function signalbox(settings: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], {
    env: environment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([
    Array.fromAsync(child.stdout),
    Array.fromAsync(child.stderr),
    once(child, 'exit'),
  ])
  return { code: code as number, output: Buffer.concat([...out, ...err]).toString() }
}

async function serve(settings: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: environment(settings),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let seen = ''
  child.stderr!.on('data', (chunk) => {
    seen += chunk
  })
  const line = () => seen.split('\n').find((text) => text.includes('"msg":"serving"') && text.endsWith('}'))
  await until('it serves', () => {
    if (child.exitCode !== null) throw new Error(`The server ended: ${seen}`)
    return line() !== undefined
  })
  return { child, url: JSON.parse(line()!).url }
}

async function aTokenBy(settings: Record<string, string>): Promise<string> {
  const admin = async (...args: string[]) => {
    const { code, output } = await signalbox(settings, 'admin', ...args, '--json')
    assert.equal(code, 0, output)
    return JSON.parse(output.slice(output.indexOf('{')))
  }
  await admin('workspace', 'create', '--slug', 'acme')
  await admin('person', 'create', '--workspace', 'acme', '--email', 'a@example.com', '--role', 'owner')
  const rights = ['--permissions', 'read,write,admin', '--expires', '30d']
  const who = ['--workspace', 'acme', '--email', 'a@example.com']
  return (await admin('token', 'create', ...who, ...rights)).token
}
