import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { webPush } from '../../../integrations/push/web-push.ts'
import { auditEvents } from '../../../test/audit-events.ts'
import { type TestDatabase, testDatabase } from '../../../test/database.ts'
import { aMember } from '../../../test/factories.ts'
import { pushService } from '../../../test/hosts/push-service.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'
import { signedIn } from '../../../test/signed-in.ts'
import { listIncidentNotifications } from '../../on-call/incident-notifications/list.ts'
import { revokeOtherSessions } from '../people/revoke-session.ts'
import { noteRead } from './mark.ts'
import { pushNotification } from './push.ts'
import { readSettings } from './settings.ts'
import { turnOffPush, turnOnPush } from './turn-on-push.ts'

const reachesAll = { refusalOf: async () => null }

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

/** Ann, who is notified of a service, with a browser that takes pushes. */
async function begin(t: TestContext) {
  const onCall = await OnCall.begin(database.db)
  const { db } = database
  const ann = { ...(await aMember(onCall.workspace, 'member')), slug: onCall.workspace.slug }
  const { sessionId } = await signedIn({ url: '', storage: { db, secrets: onCall.secrets } }, ann)
  const { browser, taken, service, options } = await pushService(t)
  await turnOnPush(onCall.workspace, { personId: ann.personId, sessionId }, browser, reachesAll)
  const source = await onCall.source('generic', [
    await onCall.service({ notify: [ann.personId] }, 'Checkout'),
  ])
  const performer = pushNotification(webPush(Buffer.alloc(32, 7), options))
  const browsers = async () => (await readSettings(db, ann.personId)).browsers
  return {
    onCall,
    ann,
    sessionId,
    browser,
    taken,
    service,
    browsers,
    open: () => onCall.receive(source, { alerts: [anAlert()] }),
    perform: () => onCall.perform('push_notification', performer),
    effects: () => onCall.effects('push_notification'),
  }
}

test('a member is pushed to when an incident opens, and the incident says when', async (t) => {
  const { onCall, taken, open, perform } = await begin(t)
  await open()
  await perform()
  const [incident] = await onCall.incidents()
  const [{ message, headers }] = taken as [(typeof taken)[0]]
  assert.equal(message.title, `${incident!.key} opened: Checkout errors`)
  assert.equal(message.path, `/${onCall.workspace.slug}/incidents/${incident!.key}`)
  assert.equal(headers.urgency, 'high')
  const told = await listIncidentNotifications(onCall.ctx, incident!.key)
  assert.deepEqual(
    told.filter(({ by }) => by === 'push').map(({ to, what, state, at }) => [to, what, state, at]),
    [['A member', 'opened', 'sent', '2026-03-31T12:00:00.000Z']],
  )
})

test('a browser that takes no more pushes is forgotten', async (t) => {
  const { service, open, perform, browsers } = await begin(t)
  service.status = 410
  await open()
  await perform()
  assert.deepEqual(await browsers(), [])
})

test('a push that fails is tried again, and given up when it is a day old', async (t) => {
  const { onCall, service, taken, open, perform, effects, browsers } = await begin(t)
  service.status = 503
  await open()
  await assert.rejects(perform(), /answered with status 503/)
  assert.equal((await browsers()).length, 1)
  onCall.clock.forward(86_400_000)
  service.status = 201
  await perform()
  assert.deepEqual([taken.length, (await effects())[0]!.due_at], [0, null])
})

test('what was read by then is not pushed', async (t) => {
  const { ann, taken, open, perform } = await begin(t)
  await open()
  await noteRead(ann, ann.personId, null)
  await perform()
  assert.deepEqual(taken, [])
})

test('a browser whose session has ended hears nothing more', async (t) => {
  const { ann, taken, open, perform, browsers } = await begin(t)
  await open()
  await revokeOtherSessions(ann, ann.personId, ann.personId)
  await perform()
  assert.deepEqual([taken, await browsers()], [[], []])
})

test('a browser is turned off by whose it is, and by no one else', async (t) => {
  const { onCall, ann, effects, open, browsers } = await begin(t)
  const { id } = (await browsers())[0]!
  await turnOffPush(onCall.workspace, onCall.admin.personId, id)
  assert.equal((await browsers()).length, 1)
  await turnOffPush(onCall.workspace, ann.personId, id)
  await open()
  assert.deepEqual([await browsers(), await effects()], [[], []])
})

test('turning pushes on and off is recorded, and a browser that says again that they are on is not', async (t) => {
  const { onCall, ann, browser, browsers, sessionId } = await begin(t)
  await turnOnPush(onCall.workspace, { personId: ann.personId, sessionId }, browser, reachesAll)
  const { id } = (await browsers())[0]!
  for (let n = 0; n < 2; n += 1) await turnOffPush(onCall.workspace, ann.personId, id)
  const entries = await auditEvents(database.db, onCall.workspace.workspaceId)
  assert.deepEqual(
    entries
      .filter(({ event }) => event === 'notifications_changed')
      .map(({ actor, details }) => [actor.userId, details.change]),
    [
      [ann.personId, 'push_turned_on'],
      [ann.personId, 'push_turned_off'],
    ],
  )
})

test('only an https address with the keys of a browser is taken', async (t) => {
  const { onCall, ann, browser } = await begin(t)
  const refused = [
    { ...browser, endpoint: 'http://push.example.com/x' },
    { ...browser, endpoint: 'https://user@push.example.com/x' },
    { ...browser, endpoint: 'https:///push.example.com\\@127.0.0.1/x' },
    { ...browser, endpoint: 'push' },
    { ...browser, p256dh: 'short' },
    { ...browser, auth: `${browser.auth}=` },
  ]
  for (const one of refused)
    await assert.rejects(
      turnOnPush(onCall.workspace, { personId: ann.personId, sessionId: ann.personId }, one, reachesAll),
      {
        code: 'invalid_request',
      },
    )
})
