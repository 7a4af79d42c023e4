import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { inviteMember } from '../../domain/accounts/invitations/invite.ts'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { connect } from '../../domain/tools/connections/connect.ts'
import { testApp } from '../app.ts'
import { aMember, aTeam, aWorkspace } from '../factories.ts'
import { signedIn } from '../signed-in.ts'
import { aConnection } from '../tools/connections.ts'

/** No one takes more of the installation than their share. */

const lives = { SESSION_IDLE_MINUTES: '30', SESSION_MAX_HOURS: '8' }
const app = await testApp({
  env: { RATE_LIMIT_PER_MINUTE: '1', SIGNALS_PER_MINUTE: '4', WORKSPACE_FOUNDING: 'owners', ...lives },
})
after(() => app.stop())
const first = await aWorkspace(app.storage.db)
const later = await aWorkspace(app.storage.db)
const owner = await aMember(first, 'owner')

test('a session has its requests for a minute, and another session of the same person has its own', async () => {
  const asked = async (cookie: string) => {
    const response = await app.get('/api/me', undefined, { headers: { cookie } })
    await response.body?.cancel()
    return response
  }
  const [busy, other] = [
    await signedIn(app, { ...owner, slug: first.slug }),
    await signedIn(app, { ...owner, slug: first.slug }),
  ]
  const all = await Promise.all(Array.from({ length: 101 }, () => asked(busy.cookie)))
  assert.deepEqual(all.map(({ status }) => status).toSorted(), [
    ...Array.from({ length: 100 }, () => 200),
    429,
  ])
  assert.match(all.find(({ status }) => status === 429)!.headers.get('retry-after')!, /^\d+$/)
  assert.equal((await asked(other.cookie)).status, 200)
})

test('a session ends after its idle time and at its age, also one that was promised longer', async () => {
  const status = async (change: string) => {
    const person = await aMember(first, 'member')
    const { cookie } = await signedIn(app, { ...person, slug: first.slug })
    await app.storage.pool.query(`update sessions set ${change} where person_id = $1`, [person.personId])
    const response = await app.get('/api/me', undefined, { headers: { cookie } })
    await response.body?.cancel()
    const { rows } = await app.storage.pool.query(
      'select extract(epoch from expires_at - now())::int as left from sessions where person_id = $1',
      [person.personId],
    )
    return { status: response.status, left: rows[0].left as number }
  }
  const promised = `expires_at = now() + interval '14 days'`
  assert.equal((await status(`updated_at = now() - interval '31 minutes', ${promised}`)).status, 401)
  assert.equal((await status(`created_at = now() - interval '9 hours', ${promised}`)).status, 401)
  const used = await status(`updated_at = now() - interval '5 minutes', ${promised}`)
  assert.equal(used.status, 200)
  assert.ok(Math.abs(used.left - 30 * 60) < 60, `${used.left}`)
})

test('a storm of one source is put off with 503 and when to come back, and another source is heard', async () => {
  const team = await aTeam(owner)
  const service = fromJson(await createService(owner, { name: 'Checkout', team: team.slug }))
  const source = async () => {
    const added = await addSource(owner, app.storage.secrets, {
      kind: 'generic',
      name: 'A',
      services: [service.id],
    })
    return { url: `${app.signalUrl}/${fromJson(added.source).token}`, secret: added.secret! }
  }
  const [loud, quiet] = [await source(), await source()]
  const send = async ({ url, secret }: typeof loud, number: number) => {
    const body = JSON.stringify({ title: `Alert ${number}`, severity: 'low' })
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    const headers = { 'content-type': 'application/json', 'x-service-signature': signature }
    const response = await fetch(url, { method: 'POST', headers, body })
    const told = (await response.json()) as { error?: { message: string } }
    return { status: response.status, retryAfter: response.headers.get('retry-after'), told }
  }
  const storm = await Promise.all(Array.from({ length: 10 }, (_, number) => send(loud, number)))
  const refused = storm.filter(({ status }) => status === 503)
  assert.deepEqual([storm.filter(({ status }) => status === 202).length, refused.length], [4, 6])
  assert.match(refused[0]!.retryAfter!, /^\d+$/)
  assert.match(
    refused[0]!.told.error!.message,
    /more than 4 deliveries in a minute\. Send it again in \d+ seconds/,
  )
  assert.equal((await send(quiet, 1)).status, 202)
})

test('workspaces are created by the owners of the first one, where that is set', async () => {
  const create = async (person: typeof owner, workspace: typeof first, slug: string) => {
    const { cookie } = await signedIn(app, { ...person, slug: workspace.slug })
    const response = await fetch(`${app.url}/api/workspaces.create`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', origin: app.url },
      body: JSON.stringify({ name: slug, slug }),
    })
    return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code]
  }
  assert.deepEqual(await create(await aMember(later, 'owner'), later, 'one-more'), [403, 'insufficient_role'])
  assert.deepEqual(await create(await aMember(first, 'admin'), first, 'one-more'), [403, 'insufficient_role'])
  assert.deepEqual(await create(owner, first, 'one-more'), [200, undefined])
})

test('an address is invited five times a day, and a workspace invites two hundred people', async () => {
  const admin = await aMember(later, 'admin')
  const tools = { mailer: null, publicUrl: () => app.url }
  const invite = (email: string) => inviteMember(admin, { email, role: 'member' }, tools)
  for (let time = 0; time < 5; time += 1) await invite('a@example.com')
  await assert.rejects(invite('a@example.com'), {
    code: 'rate_limited',
    message: /a@example\.com was invited 5 times/,
  })
  for (let person = 0; person < 195; person += 1) await invite(`p${person}@example.com`)
  await assert.rejects(invite('last@example.com'), { code: 'rate_limited', message: /200 people a day/ })
  const elsewhere = await aMember(first, 'admin')
  await inviteMember(elsewhere, { email: 'last@example.com', role: 'member' }, tools)
})

test('a workspace has a hundred connections, and the tool is not asked about one more', async () => {
  for (let one = 0; one < 100; one += 1) await aConnection(later, app.storage.secrets, { kind: 'linear' })
  const asked = connect(
    await aMember(later, 'admin'),
    { secrets: app.storage.secrets, connectors: {} as never },
    { kind: 'linear', name: 'One more', credentials: { token: 'lin_api_key' } },
  )
  await assert.rejects(asked, { code: 'conflict', message: /can have 100 connections/ })
})
