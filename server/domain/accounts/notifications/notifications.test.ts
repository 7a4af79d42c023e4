import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Notification, Unread } from '@signalbox/contract/app/notifications.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { auditEvents } from '../../../test/audit-events.ts'
import { type TestDatabase, testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aMember, aToken } from '../../../test/factories.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'
import type { Context } from '../../context.ts'
import { stopRun } from '../../engine/lifecycle/stop.ts'
import { listIncidentNotifications } from '../../on-call/incident-notifications/list.ts'
import type { Mailer } from '../../ports/mailer.ts'
import { change } from '../../record/audit/change.ts'
import { revokeToken } from '../tokens/revoke.ts'
import { notify } from './add.ts'
import { listNotifications } from './list.ts'
import { mailNotification } from './mail.ts'
import { noteRead, noteShown } from './mark.ts'
import { readUnread } from './read-unread.ts'
import { choose, readSettings } from './settings.ts'
import { warnOfExpiry } from './warn-of-expiry.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

type Person = Context & { personId: string }

const told = async (person: Person): Promise<Notification[]> =>
  (await listNotifications(person, person.personId, { limit: 100, after: null })).data.map(fromJson)
const titles = async (person: Person) => (await told(person)).map(({ title }) => title)
const unread = async (person: Person): Promise<Unread> => fromJson(await readUnread(person, person.personId))

const dayMs = 86_400_000

describe('of decisions', () => {
  test('a person who may answer is told when one is raised, and no one else', async () => {
    const run = await OneRun.begin(new TestEngine(database.db), { departures: { deniedPaths: ['infra/**'] } })
    const owner = run.owner as Person
    const [admin, member] = [await aMember(owner, 'admin'), await aMember(owner, 'member')]
    await run.tell({ ...goesWell.plan, paths: ['infra/main.tf'] })
    const { key, title, authority } = await run.asked()
    assert.equal(authority, 'admin')
    for (const person of [owner, admin]) {
      const [one] = await told(person)
      assert.deepEqual([one!.kind, one!.thing, one!.title, one!.unread], ['decision', key, title, true])
    }
    assert.deepEqual(await told(member), [])
  })

  test('one that someone has answered is unread to no one', async () => {
    const run = await OneRun.waitingForApproval(new TestEngine(database.db))
    const other = await aMember(run.owner, 'member')
    await change(run.owner, async (tx) => {
      const { key, title } = await run.asked()
      await notify(run.owner, tx, [other.personId], {
        kind: 'decision',
        thing: key,
        what: 'raised',
        title,
        body: '',
      })
      return { value: null, audit: [] }
    })
    assert.equal((await unread(other)).count, 1)
    await run.answer((await run.asked()).recommendation)
    assert.deepEqual(await unread(other), { count: 0, newest: [] })
    assert.equal((await told(other))[0]!.unread, false)
  })
})

describe('of runs', () => {
  async function filed(role: 'admin' | 'member' = 'member') {
    const run = await OneRun.begin(new TestEngine(database.db), { departures: { deniedPaths: ['infra/**'] } })
    const filer = await aMember(run.owner, role)
    await database.pool.query('update stories set filed_by = $1 where id = $2', [
      filer.personId,
      run.story.id,
    ])
    return { run, filer }
  }

  test('the person who filed the story is told how its run ended', async () => {
    const { run, filer } = await filed()
    await run.tell({ type: 'failed', failureClass: 'persistent', error: 'The tests do not compile.' })
    const [one] = await told(filer)
    assert.deepEqual([one!.kind, one!.thing], ['run', run.key])
    assert.match(one!.title, new RegExp(`^${run.key} failed: `))
    assert.match(one!.body, /The tests do not compile\./)
  })

  test('a person who stops a run is not notified of it', async () => {
    const { run, filer } = await filed()
    await stopRun(filer, run.key, { confirmed: true })
    assert.deepEqual(await told(filer), [])
  })

  test('a person who filed the story and may not answer is told that its run waits for others', async () => {
    const { run, filer } = await filed()
    await run.tell({ ...goesWell.plan, paths: ['infra/main.tf'] })
    const [one] = await told(filer)
    assert.match(one!.title, new RegExp(`^${run.key} is waiting for an answer: `))
    assert.match(one!.body, /^An owner or admin can answer dec-/)
    const other = await filed('admin')
    await other.run.tell({ ...goesWell.plan, paths: ['infra/main.tf'] })
    assert.deepEqual(
      (await told(other.filer)).map(({ kind }) => kind),
      ['decision'],
    )
  })
})

describe('of tokens', () => {
  test('their person is told a week and a day before they expire, once each', async () => {
    const onCall = await OnCall.begin(database.db)
    const { clock } = onCall
    const ann = await aMember(onCall.workspace, 'member')
    await aToken(ann)
    const revoked = await aToken(ann)
    await revokeToken(ann, revoked.id)
    const warn = () => warnOfExpiry(onCall.workspace)
    await warn()
    assert.deepEqual(await titles(ann), [])
    clock.forward(23 * dayMs)
    await Promise.all([warn(), warn()])
    assert.deepEqual(await titles(ann), ['Your token “test” expires within a week'])
    clock.forward(6 * dayMs)
    await warn()
    await warn()
    assert.deepEqual(await titles(ann), [
      'Your token “test” expires within a day',
      'Your token “test” expires within a week',
    ])
    clock.forward(dayMs)
    await warn()
    assert.equal((await told(ann)).length, 2)
  })
})

describe('of incidents', () => {
  async function opened() {
    const onCall = await OnCall.begin(database.db)
    const ann = await aMember(onCall.workspace, 'member')
    const service = await onCall.service({ notify: [ann.personId] }, 'Checkout')
    const source = await onCall.source('generic', [service])
    const open = async () => {
      await onCall.receive(source, { alerts: [anAlert()] })
      return (await onCall.incidents())[0]!.key
    }
    const tellings = async () =>
      (await listIncidentNotifications(onCall.ctx, (await onCall.incidents())[0]!.key)).map(
        ({ by, to, what, state, at }) => [by, to, what, state, at],
      )
    return { onCall, ann, open, tellings }
  }

  test('the incident says that a member was told in the app, and when a page showed it', async () => {
    const { onCall, ann, open, tellings } = await opened()
    await choose(ann, ann.personId, 'incident', { inApp: true, byMail: false, byPush: false })
    const key = await open()
    assert.deepEqual(await tellings(), [['app', 'A member', 'opened', 'sent', '2026-03-31T12:00:00.000Z']])
    const [one] = await told(ann)
    assert.deepEqual([one!.kind, one!.thing, one!.body], ['incident', key, 'Checkout, severity critical.'])
    onCall.clock.forward(60_000)
    await noteShown(ann, ann.personId, [one!.id])
    onCall.clock.forward(60_000)
    await noteShown(ann, ann.personId, [one!.id])
    assert.deepEqual(await tellings(), [['app', 'A member', 'opened', 'shown', '2026-03-31T12:01:00.000Z']])
    assert.equal((await unread(ann)).count, 1)
  })

  test('one that is read counts as shown, and no one marks what is another’s', async () => {
    const { ann, open, onCall, tellings } = await opened()
    await choose(ann, ann.personId, 'incident', { inApp: true, byMail: false, byPush: false })
    await open()
    const [one] = await told(ann)
    await noteRead(onCall.admin, onCall.admin.personId, one!.id)
    await noteRead(onCall.admin, onCall.admin.personId, null)
    await noteShown(onCall.admin, onCall.admin.personId, [one!.id])
    assert.deepEqual([(await unread(ann)).count, (await tellings())[0]![3]], [1, 'sent'])
    await noteRead(ann, ann.personId, one!.id)
    assert.deepEqual([(await unread(ann)).count, (await tellings())[0]![3]], [0, 'shown'])
  })

  test('a member who wants no word of incidents gets none, and the incident does not say so', async () => {
    const { ann, open, onCall, tellings } = await opened()
    await choose(ann, ann.personId, 'incident', { inApp: false, byMail: false, byPush: false })
    await open()
    assert.deepEqual([await told(ann), await tellings()], [[], []])
    assert.deepEqual(await onCall.effects('mail_member'), [])
  })

  test('a member who wants mail alone is mailed, and the app shows nothing', async () => {
    const { ann, open, onCall, tellings } = await opened()
    await choose(ann, ann.personId, 'incident', { inApp: false, byMail: true, byPush: false })
    await open()
    assert.deepEqual([(await unread(ann)).count, (await tellings()).map(([by]) => by)], [0, ['mail']])
    assert.equal((await onCall.effects('mail_member')).length, 1)
  })
})

test('what is mailed says what happened and where, and what was read by then is not mailed', async () => {
  const onCall = await OnCall.begin(database.db)
  const ann = await aMember(onCall.workspace, 'member')
  const sent: { to: { address: string }; subject: string; text: string }[] = []
  const mailer: Mailer = {
    async send(mail) {
      sent.push(mail)
      return { sent: true }
    },
  }
  const performer = mailNotification(mailer, { publicUrl: () => 'https://signalbox.example.com' })
  await aToken(ann)
  onCall.clock.forward(24 * dayMs)
  await warnOfExpiry(onCall.workspace)
  await onCall.perform('mail_notification', performer)
  assert.deepEqual(
    sent.map(({ to, subject }) => [to.address, subject]),
    [[ann.email, 'Your token “test” expires within a week']],
  )
  assert.ok(sent[0]!.text.includes(`https://signalbox.example.com/${onCall.workspace.slug}/settings/api\n`))
  onCall.clock.forward(5 * dayMs + dayMs / 2)
  await warnOfExpiry(onCall.workspace)
  await noteRead(ann, ann.personId, null)
  await onCall.perform('mail_notification', performer)
  assert.equal(sent.length, 1)
})

test('a kind that no one has chosen about is told as it is by default', async () => {
  const onCall = await OnCall.begin(database.db)
  const { personId } = onCall.admin
  await choose(onCall.admin, personId, 'run', { inApp: true, byMail: true, byPush: true })
  const { kinds } = await readSettings(database.db, personId)
  assert.deepEqual(
    kinds.map(({ kind, inApp, byMail, byPush }) => [kind, inApp, byMail, byPush]),
    [
      ['decision', true, false, true],
      ['incident', true, true, true],
      ['run', true, true, true],
      ['token', true, true, false],
      ['webhook', true, true, false],
      ['runner', true, true, false],
      ['connection', true, true, false],
      ['report', true, false, false],
      ['suggestion', true, false, true],
    ],
  )
})

test('what someone chooses to be told is recorded, and what stays as it was is not', async () => {
  const { admin, workspace } = await OnCall.begin(database.db)
  const ways = { inApp: true, byMail: true, byPush: false }
  for (let n = 0; n < 2; n += 1) await choose(admin, admin.personId, 'token', ways)
  for (let n = 0; n < 2; n += 1) await choose(admin, admin.personId, 'token', { ...ways, byMail: false })
  const entries = await auditEvents(database.db, workspace.workspaceId)
  assert.deepEqual(
    entries
      .filter(({ event }) => event === 'notifications_changed')
      .map(({ actor, entity, details: { channel, ...details } }) => [actor.userId, entity.id, details]),
    [
      [
        admin.personId,
        admin.personId,
        { change: 'ways', kind: 'token', changes: [{ field: 'byMail', before: true, after: false }] },
      ],
    ],
  )
})

test('the words of others are one plain line', async () => {
  const onCall = await OnCall.begin(database.db)
  const ann = await aMember(onCall.workspace, 'member')
  const service = await onCall.service({ notify: [ann.personId] }, 'Checkout')
  const source = await onCall.source('generic', [service])
  await onCall.receive(source, { alerts: [anAlert({ title: 'x\u202e\u0007\r\nnext' })] })
  assert.match((await titles(ann))[0]!, /opened: x next$/)
})
