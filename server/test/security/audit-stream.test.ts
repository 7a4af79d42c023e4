import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { readConfig } from '../../app/config.ts'
import { vitalsOf } from '../../app/system.ts'
import { checkSystem } from '../../domain/installation/system/check-system.ts'
import { testApp } from '../app.ts'
import { auditEvents } from '../audit-events.ts'
import { syslogReceiver } from '../doubles/syslog-receiver.ts'
import { aMember, aTeam, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'

/** The audit log, sent to where the operator wants it. */

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const received: { status: number; headers: Record<string, string>; body: string }[] = []
let status = 200
const siem = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  received.push({ status, headers: request.headers as Record<string, string>, body })
  response.writeHead(status).end()
})
await new Promise<void>((resolve) => siem.listen(0, '127.0.0.1', resolve))
const syslog = await syslogReceiver()
after(async () => {
  siem.closeAllConnections()
  siem.close()
  await syslog.stop()
})
const url = `http://127.0.0.1:${(siem.address() as AddressInfo).port}/hook`
const byWebhook = { AUDIT_STREAM: url, AUDIT_STREAM_SECRET: secret }

type Sent = { type: string; data: { workspace: string; first: number; entries: { id: string }[] } }

/** The ids of the entries that a receiver has, in the order in which it got them. */
const idsOf = (slug: string) =>
  received
    .filter((one) => one.status === 200)
    .map(({ headers, body }) => new Webhook(secret).verify(body, headers) as Sent)
    .filter(({ data }) => data.workspace === slug)
    .flatMap(({ data }) => data.entries.map(({ id }) => id))

test('every entry is sent in order, again until it is received, and a restart goes on where it stopped', async () => {
  let app = await testApp({ env: byWebhook })
  const { databaseUrl } = app
  const workspace = await aWorkspace(app.storage.db)
  const owner = await aMember(workspace, 'owner')
  const log = async () => (await auditEvents(app.storage.db, workspace.workspaceId)).map(({ id }) => id)
  for (let team = 0; team < 120; team += 1) await aTeam(owner)
  const first = await log()
  await until('the receiver has all', () => idsOf(workspace.slug).length >= first.length)
  assert.deepEqual(idsOf(workspace.slug), first)

  status = 503
  await aTeam(owner)
  const refused = () => received.filter((one) => one.status === 503)
  await until('it is tried again', () => refused().length >= 2)
  // The same entries have the same id, so that a receiver knows what it has had.
  assert.equal(new Set(refused().map(({ headers }) => headers['webhook-id'])).size, 1)
  const config = readConfig({ DATABASE_URL: databaseUrl, ...byWebhook })
  const vitals = await vitalsOf({
    config,
    clock: { now: () => new Date(Date.now() + 600_000) },
    storage: app.storage,
  })()
  const { checks } = checkSystem(vitals, { version: '1', migration: 1 })
  const check = checks.find(({ name }) => name === 'audit-stream')
  assert.equal(check?.state, 'failed')
  assert.match(check!.says, /1 entry is waiting to be sent/)
  assert.match(check!.remedy!, /status 503/)
  await app.stop()
  status = 200

  // Elsewhere from now on: it goes on with what was not received.
  syslog.breakOff(1)
  app = await testApp({ databaseUrl, env: { AUDIT_STREAM: syslog.url, AUDIT_STREAM_CA: syslog.ca } })
  after(() => app.stop())
  const restarted = { ...owner, db: app.storage.db }
  await aTeam(restarted)
  const rest = (await log()).slice(first.length)
  // Once each: what was on its way when the connection broke may have arrived, and is sent again.
  const told = () => {
    const messages = syslog.messages
      .map((message) => /^<110>1 \S+Z \S+ signalbox - (\w+) - (\{.*\})$/.exec(message)!)
      .map(([, event, json]) => ({ event, ...JSON.parse(json!) }))
      .filter((one) => one.workspace === workspace.slug)
    return [...new Map(messages.map((one) => [one.entry.id, one])).values()]
  }
  await until('the second receiver has the rest', () => told().length >= rest.length)
  assert.equal(syslog.isBreaking(), false, 'one connection was broken off')
  assert.deepEqual(
    told().map(({ entry }) => entry.id),
    rest,
  )
  assert.deepEqual(
    told().map(({ position, event }) => [position, event]),
    rest.map((_, index) => [first.length + index, 'team_created']),
  )
})
