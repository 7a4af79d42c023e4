import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { checkSystem } from '../domain/installation/system/check-system.ts'
import { sealAll } from '../domain/record/seals/seal.ts'
import { verifyLog } from '../domain/record/seals/verify-log.ts'
import { createLog } from '../infra/log.ts'
import { secretsFrom } from '../infra/secrets.ts'
import { TestClock } from '../test/clock.ts'
import { testDatabase } from '../test/database.ts'
import { timestampAuthority } from '../test/doubles/timestamp-authority.ts'
import { aMember, aTeam, aWorkspace } from '../test/factories.ts'
import { mailHost } from '../test/hosts/mail-host.ts'
import { anchorCheckpoints } from './anchors.ts'
import { notesIn } from './checkpoint-log.ts'
import { readConfig } from './config.ts'
import type { Storage } from './storage.ts'
import { vitalsOf } from './system.ts'

const database = await testDatabase()
const { db } = database
const dir = await mkdtemp(path.join(tmpdir(), 'anchors-'))
const authority = await timestampAuthority()
const received: { status: number; headers: Record<string, string>; body: string }[] = []
let status = 200
const receiver = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  received.push({ status, headers: request.headers as Record<string, string>, body })
  response.writeHead(status).end()
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
after(async () => {
  receiver.closeAllConnections()
  receiver.close()
  authority.stop()
  await database.close()
  await rm(dir, { recursive: true })
})

test('checkpoints are sent to a folder, a webhook and a mailbox, with a timestamp, and what fails is tried again', async (t) => {
  const { arrived, settings } = await mailHost(t)
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const config = readConfig({
    CHECKPOINT_DIR: dir,
    CHECKPOINT_WEBHOOK: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    CHECKPOINT_WEBHOOK_SECRET: secret,
    CHECKPOINT_EMAIL: 'auditor@example.com',
    SMTP_URL: `smtp://127.0.0.1:${settings.port}`,
    MAIL_FROM: 'alerts@signalbox.example.com',
    TIMESTAMP_URL: authority.url,
    TIMESTAMP_CA: authority.ca,
  })
  const clock = new TestClock(new Date().toISOString())
  const { signing } = secretsFrom('a secret for tests')
  const storage = { ...database, direct: database.connection } as unknown as Storage
  const base = { config, clock, log: createLog({ level: 'silent' }), storage }
  const look = () => anchorCheckpoints(base, new AbortController().signal)
  const workspace = await aWorkspace(db, clock)
  const { workspaceId } = workspace
  const owner = await aMember(workspace, 'owner')
  const newEntries = async () => {
    await aTeam(owner)
    await sealAll(db, signing, clock)
  }
  const files = async () => (await readdir(dir)).toSorted()
  const accepted = () => received.filter((one) => one.status === 200)
  const state = async () => {
    const { anchors, ...vitals } = await vitalsOf(base)()
    const { checks } = checkSystem({ ...vitals, anchors }, { version: '1', migration: 1 })
    return { anchors, check: checks.find(({ name }) => name === 'checkpoints')! }
  }

  // The authority and the receiver are away: the others have it, and sealing goes on.
  status = 503
  authority.answer(500)
  await newEntries()
  await look()
  assert.deepEqual([(await files()).length, accepted().length, arrived.length], [1, 0, 1])
  assert.equal(notesIn(await readFile(path.join(dir, (await files())[0]!), 'utf8'))[0]!.timestamp, undefined)
  await newEntries()
  const failing = (await state()).check
  assert.equal(failing.state, 'warning')
  assert.match(failing.says, /have not been sent for .*: timestamp, webhook\./)
  assert.match(
    failing.remedy!,
    /status 500\. Check TIMESTAMP_URL\. webhook: .*status 503\. Check CHECKPOINT_WEBHOOK/,
  )

  status = 200
  authority.answer(200)
  await look()
  assert.equal(accepted().length, 0, 'not at once')
  clock.forward(5 * 60_000)
  await look()
  const body = new Webhook(secret).verify(accepted()[0]!.body, accepted()[0]!.headers) as {
    type: string
    data: { checkpoints: { workspace: string; note: string; entries: number; timestamp: string }[] }
  }
  const [sent] = body.data.checkpoints
  assert.deepEqual([body.type, sent!.workspace], ['audit.checkpoints', workspace.slug])
  assert.match(authority.verify(sent!.note, Buffer.from(sent!.timestamp, 'base64')), /Verification: OK/)
  const healthy = await state()
  assert.deepEqual([healthy.check.state, healthy.anchors.every(({ error }) => error === null)], ['ok', true])

  assert.equal((await files()).length, 1, 'the folder has had it within the hour')
  clock.forward(55 * 60_000)
  await look()
  clock.forward(60 * 60_000)
  await look()
  assert.deepEqual([(await files()).length, accepted().length, arrived.length], [2, 1, 2], 'only what is new')
  const [, newest] = await files()
  const saved = notesIn(await readFile(path.join(dir, newest!), 'utf8'))
  assert.deepEqual(
    saved.map(({ note, timestamp }) => [note, timestamp?.toString('base64')]),
    [[sent!.note, sent!.timestamp]],
  )
  assert.ok(arrived[1]!.text.replaceAll('\r', '').includes(sent!.note.split('\n')[2]!))

  const ca = await readFile(authority.ca, 'utf8')
  const verified = async (authorities: string | null, knownCheckpoints = saved) => {
    const options = { now: clock.now(), workspaceId, knownCheckpoints, authorities }
    return (await verifyLog(db, signing.publicKey, options)).workspaces[0]!
  }
  const { findings, notes } = await verified(ca)
  assert.deepEqual(findings, [])
  assert.match(
    notes.join(),
    new RegExp(`1 checkpoint has a timestamp, the newest for ${sent!.entries} entries`),
  )
  const other = await timestampAuthority()
  const stranger = await readFile(other.ca, 'utf8')
  other.stop()
  assert.match(
    (await verified(stranger)).findings.join(),
    /by Test timestamp authority, which does not lead to/,
  )
  // Of another checkpoint: the authority has never seen this one.
  const elsewhere = notesIn(await readFile(path.join(dir, (await files())[0]!), 'utf8'))[0]!
  const moved = [{ ...elsewhere, timestamp: Buffer.from(sent!.timestamp, 'base64') }]
  assert.match((await verified(ca, moved)).findings.join(), /cannot be trusted/)

  // Who rewrites the log with the key of the server still has the timestamp against them.
  const tamperer = new pg.Client(database.connection)
  await tamperer.connect()
  const { rows } = await tamperer.query(
    `select tgrelid::regclass as guarded from pg_trigger where tgname = 'append_only_rows'`,
  )
  for (const { guarded } of rows)
    await tamperer.query(`alter table only ${guarded} disable trigger append_only_rows`)
  for (const rewriting of [
    `update audit_entries set entry = replace(entry, 'success', 'failure') where workspace_id = $1`,
    'delete from audit_checkpoints where workspace_id = $1',
    `with gone as (delete from audit_leaves where workspace_id = $1 returning workspace_id, entry_id)
     insert into audit_unsealed (workspace_id, entry_id) select workspace_id, entry_id from gone`,
  ])
    await tamperer.query(rewriting, [workspaceId])
  await tamperer.end()
  await sealAll(db, signing, clock)
  assert.match((await verified(ca, [])).findings.join(), /The log was rewritten/)
  await assert.rejects(database.pool.query('delete from audit_timestamps'), { code: '42501' })
})
