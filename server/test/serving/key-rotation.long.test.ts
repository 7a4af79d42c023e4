import assert from 'node:assert/strict'
import { createReadStream, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { webhookEvents } from '@signalbox/contract/webhook-events.ts'
import * as OTPAuth from 'otpauth'
import { findPart, makeBackup } from '../../app/backup.ts'
import { readConfig } from '../../app/config.ts'
import { identityFrom } from '../../app/identity.ts'
import { restoreBackup } from '../../app/restore.ts'
import { addPerson } from '../../domain/accounts/workspaces/add-person.ts'
import { rotateKey } from '../../domain/installation/key-rotation/rotate.ts'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { secretRow } from '../../domain/on-call/sources/secret-row.ts'
import { exportAudit } from '../../domain/record/audit/export.ts'
import { proveExport } from '../../domain/record/seals/prove.ts'
import { sealAll } from '../../domain/record/seals/seal.ts'
import { verifyExport } from '../../domain/record/seals/verify-export.ts'
import { verifyLog } from '../../domain/record/seals/verify-log.ts'
import { credentialsRow } from '../../domain/tools/connections/sealed-rows.ts'
import { addEndpoint } from '../../domain/tools/webhooks/add.ts'
import { secretRow as endpointRow } from '../../domain/tools/webhooks/secret.ts'
import { systemClock } from '../../infra/clock.ts'
import { newId } from '../../infra/ids.ts'
import { silentQueue } from '../../infra/jobs/queue.ts'
import { createLog } from '../../infra/log.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { httpWebhooks } from '../../integrations/webhooks/http.ts'
import { get, testApp, urlOf } from '../app.ts'
import { auditEvents } from '../audit-events.ts'
import { browser } from '../browser.ts'
import { emptyDatabase } from '../database.ts'
import { aMember, aTeam, aToken, aWorkspace } from '../factories.ts'
import { signedIn } from '../signed-in.ts'
import { aConnection } from '../tools/connections.ts'
import { until } from '../until.ts'

type App = Awaited<ReturnType<typeof testApp>>

const old = 'the key that this test begins with'
const fresh = 'the key that this test ends up with'
const onlyOld = { SECRET_KEY: old }
const both = { SECRET_KEY: fresh, SECRET_KEY_PREVIOUS: old }
const onlyFresh = { SECRET_KEY: fresh }
const keyOf = (key: string) => secretsFrom(key).signing.publicKey
const [password, changed] = ['correct horse battery', 'another horse, another battery']

const rotate = ({ storage: { db, secrets }, storage, url }: App) =>
  rotateKey({
    ...{ db, secrets, clock: systemClock, queue: silentQueue },
    identity: identityFrom(readConfig({}), storage, {
      publicUrl: () => url,
      log: createLog({ level: 'silent' }),
    }),
    onUnreadable: (row) => assert.fail(`${row} cannot be read`),
  })

test('SECRET_KEY is replaced while nodes serve: nothing is refused in between, and in the end nothing needs the old one', async (t) => {
  const apps: App[] = []
  t.after(() => Promise.all(apps.map((app) => app.stop())))
  const start = async (env: Record<string, string>) => {
    const app = await testApp({ env, databaseUrl: first.databaseUrl })
    apps.push(app)
    return app
  }
  const stop = (app: App) => apps.splice(apps.indexOf(app), 1)[0]!.stop()
  const first = await testApp({ env: onlyOld })
  apps.push(first)
  const { db, secrets } = first.storage

  const workspace = await aWorkspace(db)
  const owner = await aMember(workspace, 'owner')
  const team = await aTeam(owner)
  const { token } = await aToken(owner, ['read'])
  await aToken(owner, ['read'])
  const session = await signedIn(first, { ...owner, slug: workspace.slug })
  const service = fromJson(await createService(owner, { name: 'Checkout', team: team.slug }))
  await addSource(owner, secrets, { kind: 'generic', name: 'A', services: [service.id] })
  await aConnection(owner, secrets, {
    kind: 'github',
    credentials: { token: 'ghp' },
  })
  const sender = httpWebhooks({ allow: ['127.0.0.1'] })
  const endpoint = { url: 'http://127.0.0.1:9/x', description: '', teams: null }
  await addEndpoint(owner, { secrets, sender }, { ...endpoint, events: Object.keys(webhookEvents) })
  const page = browser(first.url)
  const email = 'two@example.com'
  await addPerson(workspace, { email, name: 'Two', role: 'owner', password })
  await page.post('/api/auth/sign-in/email', { email, password })
  const enabled = (await (await page.post('/api/auth/two-factor/enable', { password })).json()) as {
    totpURI: string
    backupCodes: string[]
  }
  const totp = OTPAuth.URI.parse(enabled.totpURI) as OTPAuth.TOTP
  assert.equal((await page.post('/api/auth/two-factor/verify-totp', { code: totp.generate() })).status, 200)
  const list = async (app: App, cursor?: string) => {
    const query = cursor ? `&cursor=${cursor}` : ''
    const answer = await get(`${app.url}/v1/audit?limit=1${query}`, token)
    return { status: answer.status, body: (await answer.json()) as { nextCursor: string } }
  }
  const { nextCursor } = (await list(first)).body
  const exported = await exportAudit(owner, {}, 'json')
  const file: AuditEntry[] = JSON.parse((await Array.fromAsync(exported.content)).join(''))
  await sealAll(db, secrets.signing, systemClock)

  // Without the old key, the new one is refused, as ever.
  await assert.rejects(testApp({ env: onlyFresh, databaseUrl: first.databaseUrl }), /SECRET_KEY_PREVIOUS/)

  // A node with both goes on with the old key as long as a node without the new one serves.
  const second = await start(both)
  const signedInOn = (app: App) =>
    fetch(`${app.url}/api/w/${workspace.slug}/members.list`, { headers: { cookie: session.cookie } })
  assert.equal(await rotate(second), 'waiting')
  for (const app of [first, second]) {
    assert.equal((await signedInOn(app)).status, 200)
    assert.equal((await list(app, nextCursor)).status, 200)
  }
  assert.equal((await list(first, (await list(second)).body.nextCursor)).status, 200, 'from new to old node')

  // The last node without it goes; a third one comes.
  await stop(first)
  await assert.rejects(
    testApp({ env: { SECRET_KEY: `another ${fresh}` }, databaseUrl: first.databaseUrl }),
    /another SECRET_KEY/,
  )
  const third = await start(both)
  assert.equal(await rotate(second), 'under way')
  const events = async () =>
    (await auditEvents(second.storage.db, workspace.workspaceId)).filter(
      ({ event }) => event === 'secret_key_rotated',
    )
  assert.deepEqual(
    (await events()).map(({ details }) => details.change),
    ['started'],
  )
  await assert.rejects(testApp({ env: onlyFresh, databaseUrl: first.databaseUrl }), /still being rotated/)
  await assert.rejects(testApp({ env: onlyOld, databaseUrl: first.databaseUrl }), /another SECRET_KEY/)
  for (const app of [second, third]) {
    assert.equal((await signedInOn(app)).status, 200)
    assert.equal((await list(app, nextCursor)).status, 200)
    assert.equal((await get(`${app.url}/readyz`)).status, 200)
  }
  await restoresFrom(second, t)
  const elsewhere = browser(third.url)
  for (const [name, value] of page.cookies) elsewhere.cookies.set(name, value)
  const passwords = { currentPassword: password, newPassword: changed }
  const answer = await elsewhere.post('/api/auth/change-password', passwords)
  assert.equal(answer.status, 200, 'the sign-in library takes a cookie of the old key')
  // Idle: the nodes carry it on too, once a minute.
  await until('it is finished', async () => ['finished', 'idle'].includes(await rotate(third)))
  assert.equal(await rotate(second), 'idle')
  const said = (await events()).map(({ details }) => details)
  assert.deepEqual(
    said.map(({ change }) => change),
    ['started', 'finished'],
  )
  assert.ok((said[1]!.resealed as number) >= 5, `${said[1]!.resealed} secrets`)

  // The old one can go.
  await stop(second)
  await stop(third)
  const last = await start(onlyFresh)
  const one = secretsFrom(fresh)
  const rows = async (sql: string) => (await last.storage.pool.query(sql)).rows
  for (const { id, secret } of await rows('select id, secret from sources'))
    assert.ok(one.decrypt(secret, secretRow(id)))
  for (const { id, credentials } of await rows('select id, credentials from connections'))
    assert.deepEqual(JSON.parse(one.decrypt(credentials, credentialsRow(id))), { token: 'ghp' })
  for (const { id, secret } of await rows('select id, secret from webhook_endpoints'))
    assert.ok(one.decrypt(secret, endpointRow(id)))
  const again = browser(last.url)
  await again.post('/api/auth/sign-in/email', { email, password: changed })
  const next = totp.generate({ timestamp: Date.now() + 30_000 })
  assert.equal((await again.post('/api/auth/two-factor/verify-totp', { code: next })).status, 200)
  const pushSeed = last.storage.secrets.derive('web push')
  assert.deepEqual(pushSeed, secretsFrom(old).derive('web push'), 'browsers have subscribed to it')

  // The log is one: checked with the new key here, and with either key elsewhere.
  const { workspaces } = await verifyLog(last.storage.db, keyOf(fresh), { now: new Date() })
  assert.deepEqual(
    workspaces.flatMap(({ findings }) => findings),
    [],
  )
  const proof = await proveExport(last.storage.db, keyOf(fresh), workspace.workspaceId, exported.id)
  assert.ok(proof?.sealed)
  const bundle = JSON.parse(JSON.stringify(proof.bundle))
  for (const key of [keyOf(old), keyOf(fresh), null]) assert.deepEqual(verifyExport(file, bundle, key), [])
  const { keyChanges, ...without } = bundle
  assert.equal(keyChanges.length, 1)
  assert.equal(verifyExport(file, without, keyOf(fresh)).length, 1, 'without the notes nothing leads there')
})

/** A backup of this moment, in which some secrets are of the old key and some of the new one, restores to a server that finishes. */
async function restoresFrom({ storage: { connection } }: App, t: TestContext): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'rotation-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const [place, dataDir] = [path.join(folder, 'backup'), path.join(folder, 'data')]
  const config = readConfig({ ...both, DATA_DIR: folder })
  await makeBackup({ config, connection, id: newId(new Date()), passphrase: null }, place)
  const databaseUrl = urlOf(await emptyDatabase())
  await restoreBackup(readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir }), {
    ...{ log: createLog({ level: 'silent' }), passphrase: null, pauseTeams: false },
    database: createReadStream(findPart(place, 'database')!),
    secrets: createReadStream(findPart(place, 'secrets')!),
  })
  assert.ok(existsSync(path.join(dataDir, 'secret.key.previous')))
  // Its keys are those that the restore has put into the data folder.
  const app = await testApp({ databaseUrl, env: { DATA_DIR: dataDir, SECRET_KEY: '' } })
  t.after(() => app.stop())
  await until('it is finished there too', async () => ['finished', 'idle'].includes(await rotate(app)))
  const { rows } = await app.storage.pool.query('select id, credentials from connections')
  assert.equal(rows.length, 1)
  for (const { id, credentials } of rows)
    assert.deepEqual(JSON.parse(secretsFrom(fresh).decrypt(credentials, credentialsRow(id))), {
      token: 'ghp',
    })
  const { workspaces } = await verifyLog(app.storage.db, keyOf(fresh), { now: new Date() })
  assert.deepEqual(
    workspaces.flatMap(({ findings }) => findings),
    [],
  )
}
