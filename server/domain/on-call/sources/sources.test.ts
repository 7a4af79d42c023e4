import assert from 'node:assert/strict'
import { createCipheriv, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { sourceKinds } from '@signalbox/contract/source.ts'
import type { Node } from '../../../infra/cluster.ts'
import { secretsFrom } from '../../../infra/secrets.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { listAudit } from '../../record/audit/list.ts'
import { createService } from '../services/create.ts'
import { addSource } from './add.ts'
import { bindSecrets } from './bind-secrets.ts'
import { changeSource } from './change.ts'
import { deleteSource } from './delete.ts'
import { endFormerSecret } from './end-former-secret.ts'
import { listSourceRows } from './list-rows.ts'
import { pauseSource } from './pause.ts'
import { readSource } from './read.ts'
import { Sources } from './registry.ts'
import { rotateSecret } from './rotate-secret.ts'
import { credentialsRow, secretRow } from './secret-row.ts'

const database = await testDatabase()
after(() => database.close())
const secrets = secretsFrom('a key for tests that is long enough')

async function aWorld() {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const team = await aTeam(owner)
  const service = fromJson(await createService(owner, { name: 'checkout', team: team.slug }))
  const add = async (input: Partial<Parameters<typeof addSource>[2]> = {}) =>
    addSource(owner, secrets, { kind: 'generic', name: 'Alerts', services: [service.id], ...input })
  const changes = async () =>
    (await listAudit(owner, { event: 'signal_source_changed' }, { limit: 100, after: null })).data
      .map(fromJson)
      .map(({ details }) => details.change)
  return { owner, service, add, changes }
}

test('a source has an address of at least 128 bits and a secret that is encrypted and shown once', async () => {
  const { owner, add } = await aWorld()
  const { source, secret } = await add()
  const { id, token } = fromJson(source)
  assert.ok(Buffer.from(token, 'base64url').length >= 16)
  assert.ok(secret!.length >= 32)
  assert.ok(!(await readSource(owner, id)).includes(secret!))
  const { rows } = await database.pool.query<{ secret: Buffer }>('select secret from sources where id = $1', [
    id,
  ])
  assert.ok(!rows[0]!.secret.includes(secret!))
  assert.equal(secrets.decrypt(rows[0]!.secret, secretRow(id)), secret)
})

test('adding, changing, pausing, rotating and deleting are recorded, and secrets never are', async () => {
  const { owner, add, changes } = await aWorld()
  const added = await add({
    kind: 'pagerduty',
    secret: 'given-by-the-sender-1',
    credentials: 'api-key-of-the-pager',
  })
  const { id } = fromJson(added.source)
  await changeSource(owner, secrets, id, { name: 'Paging', credentials: 'another-api-key' })
  await pauseSource(owner, id, true)
  await pauseSource(owner, id, false)
  const rotated = await rotateSecret(owner, secrets, id)
  await deleteSource(owner, id)
  assert.deepEqual((await changes()).toReversed(), [
    'added',
    'changed',
    'paused',
    'resumed',
    'secret rotated',
    'deleted',
  ])
  const log = JSON.stringify(await listAudit(owner, {}, { limit: 100, after: null }))
  for (const word of ['given-by-the-sender-1', 'api-key-of-the-pager', 'another-api-key', rotated.secret])
    assert.ok(!log.includes(word))
  assert.deepEqual(await listSourceRows(owner, {}), [])
})

test('settings of a source are checked by its kind', async () => {
  const { add } = await aWorld()
  const table: [Parameters<typeof add>[0], RegExp][] = [
    [{ kind: 'fax' as 'generic' }, /kind must be one of generic/],
    [{ settings: { topicArn: 'x' } }, /a generic source has no setting topicArn/],
    [{ kind: 'cloudwatch', settings: { topicArn: 'x' } }, /topicArn must be an ARN/],
    [{ kind: 'grafana', settings: { signatureHeader: 'not a header' } }, /signatureHeader must be the name/],
    [{ kind: 'uptime', settings: { url: 'ftp://x' } }, /url must be an address/],
    [{ kind: 'uptime', settings: { url: 'https://user:pw@example.com' } }, /must not contain a user name/],
    [
      { kind: 'uptime', settings: { url: 'https://example.com', failures: 0 } },
      /failures must be a whole number/,
    ],
    [
      { kind: 'uptime', settings: { url: `https://example.com/${'x'.repeat(2_000)}` } },
      /url can have 2000 characters at most/,
    ],
    [
      { kind: 'uptime', settings: { url: 'https://example.com', statuses: Array(101).fill(200) } },
      /statuses can be 100 at most/,
    ],
    [{ secret: 'short' }, /secret must have 16 to 500/],
    [{ services: ['01900000-0000-7000-8000-00000000dead'] }, /there is no service/],
  ]
  for (const [input, message] of table) await assert.rejects(add(input), { code: 'invalid_request', message })
  const uptime = await add({ kind: 'uptime', settings: { url: 'https://example.com' } })
  assert.equal(uptime.secret, null)
})

test('members read sources; only owners and admins change them', async () => {
  const { owner, service, add } = await aWorld()
  const { id } = fromJson((await add()).source)
  const member = await aMember(owner, 'member')
  assert.equal((await listSourceRows(member, {})).length, 1)
  for (const act of [
    addSource(member, secrets, { kind: 'generic', name: 'x', services: [service.id] }),
    changeSource(member, secrets, id, { name: 'x' }),
    pauseSource(member, id, true),
    rotateSecret(member, secrets, id),
    endFormerSecret(member, id),
    deleteSource(member, id),
  ])
    await assert.rejects(act, { code: 'insufficient_role' })
})

test('only the two paging tools take credentials, when a source is added and when it is changed', async () => {
  const { owner, add } = await aWorld()
  for (const kind of sourceKinds) {
    const settings = kind === 'uptime' ? { url: 'https://example.com' } : {}
    const mayUpdate = kind === 'pagerduty' || kind === 'opsgenie'
    const { id } = fromJson((await add({ kind, settings })).source)
    const credentials = 'api-key-of-the-pager'
    const acts = [
      () => add({ kind, settings, credentials }),
      () => changeSource(owner, secrets, id, { credentials }),
    ]
    for (const act of acts)
      if (mayUpdate) await act()
      else await assert.rejects(act, { code: 'invalid_request', message: /credentials are only for/ })
    assert.equal(fromJson(await readSource(owner, id)).canUpdateAlerts, mayUpdate, kind)
  }
})

test('an uptime check takes no secret, as no one sends to it', async () => {
  const { add } = await aWorld()
  const uptime = { kind: 'uptime', settings: { url: 'https://example.com' } } as const
  await assert.rejects(add({ ...uptime, secret: 'sixteen-characters-at-least' }), {
    code: 'invalid_request',
    message: /takes no secret/,
  })
})

test('a former secret can be ended at once, and only while there is one', async () => {
  const { owner, add, changes } = await aWorld()
  const { id } = fromJson((await add()).source)
  await assert.rejects(endFormerSecret(owner, id), { code: 'conflict' })
  await rotateSecret(owner, secrets, id)
  assert.notEqual(fromJson(await readSource(owner, id)).formerSecretUntil, null)
  await endFormerSecret(owner, id)
  assert.equal(fromJson(await readSource(owner, id)).formerSecretUntil, null)
  assert.equal((await changes())[0], 'former secret ended')
  await assert.rejects(endFormerSecret(owner, id), { code: 'conflict' })
  const { rows } = await database.pool.query('select former_secret from sources where id = $1', [id])
  assert.equal(rows[0].former_secret, null)
})

test('a secret that was moved into the row of another source does not open there', async () => {
  const { add } = await aWorld()
  const [one, other] = [fromJson((await add()).source), fromJson((await add()).source)]
  await database.pool.query(
    'update sources set secret = (select secret from sources where id = $1) where id = $2',
    [one.id, other.id],
  )
  const node = { isFresh: () => false, generation: () => 0 }
  const sources = new Sources({ db: database.db, secrets, node: () => node as unknown as Node })
  assert.ok(await sources.find(one.token))
  await assert.rejects(async () => sources.find(other.token))
  await database.pool.query('update sources set secret = null where id = $1', [other.id])
})

test('what an earlier version encrypted is bound to its row at the next start', async () => {
  const { add } = await aWorld()
  const { source, secret } = await add()
  const { id } = fromJson(source)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secrets.derive('stored secrets'), nonce)
  const text = Buffer.concat([cipher.update(secret!, 'utf8'), cipher.final()])
  const unbound = Buffer.concat([nonce, cipher.getAuthTag(), text])
  await database.pool.query(
    'update sources set secret = $2, former_secret = $2, former_until = now(), credentials = $2 where id = $1',
    [id, unbound],
  )
  assert.equal(await bindSecrets(database.db, secrets), 1)
  assert.equal(await bindSecrets(database.db, secrets), 0)
  const { rows } = await database.pool.query('select * from sources where id = $1', [id])
  for (const [bytes, row] of [
    [rows[0].secret, secretRow(id)],
    [rows[0].former_secret, secretRow(id)],
    [rows[0].credentials, credentialsRow(id)],
  ]) {
    assert.ok(secrets.isBound(bytes, row))
    assert.equal(secrets.decrypt(bytes, row), secret)
  }
})
