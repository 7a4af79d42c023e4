import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import fc from 'fast-check'
import { PretendChat } from '../../../integrations/chat/pretend.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aWorkspace } from '../../../test/factories.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'
import type { Context } from '../../context.ts'
import { listServiceRows } from '../services/list-rows.ts'
import { acknowledgeIncident } from './acknowledge.ts'
import { addNote } from './add-note.ts'
import { changeSeverity } from './change-severity.ts'
import { listIncidents } from './list.ts'
import { mailMember } from './mail-member.ts'
import { postIncident } from './post-incident.ts'
import { readIncidentDetails } from './read.ts'
import { resolveIncident } from './resolve.ts'
import { takeIncident } from './take.ts'
import { updateAlertInSource } from './update-alert-in-source.ts'

const database = await testDatabase()
after(() => database.close())

const links = { publicUrl: () => 'https://signalbox.example.com' }

/** An open incident, two members, and a place where it is posted. */
async function anIncident() {
  const onCall = await OnCall.begin(database.db)
  const ann = { ...(await aMember(onCall.workspace, 'member')), name: 'Ann' }
  const ben = await aMember(onCall.workspace, 'member')
  const called = (who: typeof ben, name: string) => ({ ...who, actor: { ...who.actor, name } })
  await database.pool.query("update people set name = 'Ann' where id = $1", [ann.personId])
  await database.pool.query("update people set name = 'Ben' where id = $1", [ben.personId])
  await onCall.place('#alerts')
  const service = await onCall.service({ updateAlerts: true, notify: [ann.personId] }, 'Checkout')
  const source = await onCall.source('pagerduty', [service], {
    secret: 'a-signing-secret-that-is-long-enough',
    credentials: 'a key for the pager',
    settings: { from: 'on-call@example.com' },
  })
  const fire = (alert: Parameters<typeof anAlert>[0] = {}) =>
    onCall.receive(source, { alerts: [anAlert({ senderId: 'PD1', ...alert })] })
  await fire()
  const key = (await onCall.incidents())[0]!.key
  const page = async () => fromJson(await readIncidentDetails(onCall.admin, key))
  const posts: string[] = []
  const post = async () => {
    posts.length = 0
    const chat = new PretendChat()
    chat.post = async (_, { message, under }) => {
      if (under || message.title.includes('opened')) posts.push(message.title)
      return '1.0'
    }
    await onCall.perform('post_incident', postIncident(chat, links, onCall))
    return posts
  }
  await post()
  return { onCall, ann: called(ann, 'Ann'), ben: called(ben, 'Ben'), service, fire, key, page, post }
}

const by = ({ actor }: Context) => (actor.type === 'human' ? actor.userId : null)

test('an incident is acknowledged by a person once: audited, in the timeline, in its places and in the sender', async () => {
  const { onCall, ann, ben, key, page, post } = await anIncident()
  await acknowledgeIncident(ann, key)
  const { acknowledged, timeline, status } = await page()
  assert.deepEqual([acknowledged?.by, status], ['Ann', 'open'])
  const step = timeline.at(-1)!
  assert.deepEqual([step.type, step.by, step.text], ['acknowledged', 'Ann', 'acknowledged the incident'])
  const entry = (await onCall.entries('incident_updated')).at(-1)
  assert.deepEqual([entry.actor.userId, entry.details.change], [by(ann), 'acknowledged'])
  assert.deepEqual(await post(), [`${key}: Ann acknowledged the incident`])

  const acknowledgedThere: string[] = []
  const pager = {
    name: 'PagerDuty',
    acknowledge: async ({ id }: { id: string }) => {
      acknowledgedThere.push(id)
      return { outcome: 'changed' as const }
    },
    resolve: async () => ({ outcome: 'changed' as const }),
  }
  const pagers = { pagerduty: pager, opsgenie: pager }
  await onCall.perform('update_alert', updateAlertInSource(pagers as never, onCall.secrets))
  assert.deepEqual(acknowledgedThere, ['PD1'])
  const [updated] = await onCall.entries('alert_updated_in_source')
  assert.deepEqual([updated.actor.type, updated.actor.userId], ['human', by(ann)])

  await assert.rejects(acknowledgeIncident(ben, key), { code: 'conflict', message: /^Ann acknowledged inc-/ })
  assert.equal((await page()).acknowledged?.by, 'Ann')
})

test('who has taken an incident is shown wherever it is shown; taken over only from whom one saw', async () => {
  const { onCall, ann, ben, key, page, post, service } = await anIncident()
  await takeIncident(ann, key, null)
  await assert.rejects(takeIncident(ben, key, null), { code: 'conflict', message: /^Ann took inc-/ })
  const shown = async () => {
    const [listed] = (await listIncidents(onCall.admin, {}, { limit: 9, after: null })).data.map(fromJson)
    const row = (await listServiceRows(onCall.admin, {})).find(({ id }) => id === service.id)
    return [listed?.assignee?.name, (await page()).assignee?.name, row?.openIncident?.assignee]
  }
  assert.deepEqual(await shown(), ['Ann', 'Ann', 'Ann'])
  await takeIncident(ann, key, null)
  await takeIncident(ben, key, by(ann))
  assert.deepEqual(await shown(), ['Ben', 'Ben', 'Ben'])
  assert.deepEqual(await post(), [`${key}: Ann took the incident`, `${key}: Ben took over from Ann`])
  const taken = (await onCall.entries('incident_updated')).filter(({ details }) => details.change === 'taken')
  assert.deepEqual(
    taken.map(({ actor, details }) => [actor.userId, details.changes]),
    [
      [by(ann), [{ field: 'assignee', before: null, after: 'Ann' }]],
      [by(ben), [{ field: 'assignee', before: 'Ann', after: 'Ben' }]],
    ],
  )
  const mails: string[] = []
  await resolveIncident(ben, key, { reason: 'Rolled back.' })
  const mailer = {
    send: async ({ text }: { text: string }) => {
      mails.push(text)
      return { sent: true as const }
    },
  }
  await onCall.perform('mail_member', mailMember(mailer, links))
  assert.match(mails.at(-1)!, /severity critical, taken by Ben\./)
  assert.match(mails.at(-1)!, /Resolved by Ben: Rolled back\./)
})

test('a severity that a person has set stays until an alert is worse than all before it', async () => {
  const { onCall, ann, ben, key, page, fire, post } = await anIncident()
  await fire({ fingerprint: 'b', severity: 'high' })
  await changeSeverity(ann, key, { from: 'critical', severity: 'low' })
  await assert.rejects(changeSeverity(ben, key, { from: 'critical', severity: 'medium' }), {
    code: 'conflict',
    message: /is low now; Ann changed it last/,
  })
  await assert.rejects(changeSeverity(ben, key, { from: 'low', severity: 'low' }), { code: 'conflict' })
  await fire()
  await fire({ fingerprint: 'c', severity: 'high' })
  assert.equal((await page()).severity, 'low')
  assert.deepEqual(await post(), [`${key}: Ann changed the severity from critical to low`])
  const changed = (await onCall.entries('incident_updated')).find(
    ({ details }) => details.change === 'severity_changed',
  )
  assert.deepEqual(changed.details.changes, [{ field: 'severity', before: 'critical', after: 'low' }])

  const other = await anIncident()
  await other.fire({ fingerprint: 'high', severity: 'high' })
  await resolveIncident(other.ann, other.key, { reason: 'Known.' })
  await other.fire({ fingerprint: 'mild', severity: 'high' })
  const second = (await other.onCall.incidents())[1]!.key
  await changeSeverity(other.ann, second, { from: 'high', severity: 'info' })
  await other.fire({ fingerprint: 'worse', severity: 'critical' })
  assert.equal((await other.onCall.incidents())[1]!.severity, 'critical')
})

test('a note is posted to the places as well', async () => {
  const { ann, key, post } = await anIncident()
  await addNote(ann, key, 'The cache was cold.\n@channel look')
  const [posted] = await post()
  assert.match(posted!, /^inc-\w{4}: Ann noted: The cache was cold\. @\u2060channel look$/)
})

test('an incident is resolved by a person with a reason: audited, told, and resolved in the sender', async () => {
  const { onCall, ann, ben, key, page, post } = await anIncident()
  await assert.rejects(resolveIncident(ann, key, { reason: '  ' }), { code: 'invalid_request' })
  await resolveIncident(ann, key, { reason: 'The deployment was rolled back.' })
  const { status, resolution, timeline } = await page()
  assert.deepEqual(
    [status, resolution],
    ['resolved', { by: 'Ann', reason: 'The deployment was rolled back.' }],
  )
  assert.equal(timeline.at(-1)?.by, 'Ann')
  const [entry] = await onCall.entries('incident_resolved')
  assert.deepEqual(
    [entry.actor.userId, entry.result, entry.details.reason],
    [by(ann), 'success', 'The deployment was rolled back.'],
  )
  assert.deepEqual((await post())[0], `${key} resolved: Checkout errors`)
  assert.deepEqual(
    (await onCall.effects('update_alert')).map(({ data }) => (data as { what: string }).what),
    ['resolve'],
  )
  const { rows } = await database.pool.query<{ title: string }>(
    'select title from notifications where workspace_id = $1 order by id',
    [ann.workspaceId],
  )
  assert.match(rows.at(-1)!.title, /resolved/)
  for (const again of [
    () => resolveIncident(ben, key, { reason: 'Me too.' }),
    () => acknowledgeIncident(ben, key),
    () => takeIncident(ben, key, null),
    () => changeSeverity(ben, key, { from: 'critical', severity: 'low' }),
  ])
    await assert.rejects(again(), { code: 'conflict', message: /^Ann resolved inc-/ })
})

test('of five people who resolve at once one does; the others are told who', async () => {
  const { onCall, key, ann, ben } = await anIncident()
  const all = await Promise.allSettled(
    [ann, ben, ann, ben, ann].map((who) => resolveIncident(who, key, { reason: 'Over.' })),
  )
  assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const one of all)
    if (one.status === 'rejected') assert.match(one.reason.message, /^(Ann|Ben) resolved inc-/)
  assert.equal((await onCall.entries('incident_resolved')).length, 1)
})

test('an incident of another workspace is not there, and no one but a person acts on one', async () => {
  const { key, onCall } = await anIncident()
  const stranger = await aMember(await aWorkspace(database.db), 'owner')
  for (const act of [
    () => acknowledgeIncident(stranger, key),
    () => takeIncident(stranger, key, null),
    () => changeSeverity(stranger, key, { from: 'critical', severity: 'low' }),
    () => resolveIncident(stranger, key, { reason: 'x' }),
  ])
    await assert.rejects(act(), { code: 'incident_not_found' })
  await assert.rejects(resolveIncident(onCall.ctx, key, { reason: 'x' }), { code: 'insufficient_role' })
})

type Move = { do: 'fire' | 'recover'; alert: string } | { do: 'understand' } | { do: 'resolve' }

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom('fire' as const, 'recover' as const), alert: fc.constantFrom('a', 'b') }),
    fc.constant({ do: 'understand' as const }),
    fc.constant({ do: 'resolve' as const }),
  ),
  { minLength: 3, maxLength: 14 },
)

test('whatever the order of firing, repeat, recovery and a person’s resolve: what fired then opens nothing until it has recovered, all else does', async () => {
  const onCall = await OnCall.begin(database.db)
  const member = await aMember(onCall.workspace, 'member')
  await fc.assert(
    fc.asyncProperty(moves, async (made) => {
      const source = await onCall.source('generic', [await onCall.service()])
      const firing = new Set<string>()
      let open: Set<string> | null = null
      let opened = 0
      let waiting: { status: 'firing' | 'resolved'; fingerprint: string }[] = []
      const begun = (await onCall.incidents()).length
      for (const move of [...made, { do: 'understand' } as const]) {
        onCall.clock.forward(1_000)
        if (move.do === 'fire' || move.do === 'recover') {
          const told = {
            status: move.do === 'fire' ? ('firing' as const) : ('resolved' as const),
            fingerprint: move.alert,
          }
          waiting.push(told)
          const reading = { test: false, problem: null, deliveryId: null, handshake: null }
          await onCall.receiver.receive(source, { ...reading, alerts: [anAlert(told)] })
        } else if (move.do === 'resolve') {
          const found = (await onCall.incidents()).slice(begun).find(({ status }) => status === 'open')
          assert.equal(found !== undefined, open !== null)
          if (found) await resolveIncident(member, found.key, { reason: 'Enough.' })
          open = null
        } else {
          await onCall.handle()
          for (const { status, fingerprint } of waiting) {
            if (status === 'firing' && !firing.has(fingerprint)) {
              firing.add(fingerprint)
              if (!open) opened += 1
              open = (open ?? new Set<string>()).add(fingerprint)
            } else if (status === 'resolved' && firing.delete(fingerprint) && open?.delete(fingerprint)) {
              if (open.size === 0) open = null
            }
          }
          waiting = []
          const mine = (await onCall.incidents()).slice(begun)
          assert.equal(mine.length, opened)
          assert.equal(mine.filter(({ status }) => status === 'open').length, open ? 1 : 0)
        }
      }
      await database.pool.query(
        "update incidents set status = 'resolved', resolved_at = now() where workspace_id = $1 and status = 'open'",
        [member.workspaceId],
      )
    }),
    { numRuns: 20 },
  )
})
