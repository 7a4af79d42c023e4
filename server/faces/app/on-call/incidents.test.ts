import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { listAlertRows } from '../../../domain/on-call/alerts/list-rows.ts'
import { readAlertActivity } from '../../../domain/on-call/incidents/activity.ts'
import { addNote } from '../../../domain/on-call/incidents/add-note.ts'
import { listIncidents } from '../../../domain/on-call/incidents/list.ts'
import { mailMember } from '../../../domain/on-call/incidents/mail-member.ts'
import { postIncident } from '../../../domain/on-call/incidents/post-incident.ts'
import { readIncidentDetails } from '../../../domain/on-call/incidents/read.ts'
import { PretendChat } from '../../../integrations/chat/pretend.ts'
import { type TestDatabase, testDatabase } from '../../../test/database.ts'
import { aMember, aWorkspace } from '../../../test/factories.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const links = { publicUrl: () => 'https://signalbox.example.com' }
const firstPage = { limit: 25, after: null }

async function anIncident(notifies = false) {
  const onCall = await OnCall.begin(database.db)
  const ann = await aMember(onCall.workspace, 'member')
  const service = await onCall.service({ notify: notifies ? [ann.personId] : [] }, 'Checkout')
  const source = await onCall.source('generic', [service])
  const open = async () => {
    await onCall.receive(source, { alerts: [anAlert()] })
    return (await onCall.incidents())[0]!.key
  }
  const page = async (key: string): Promise<IncidentPage> => fromJson(await readIncidentDetails(ann, key))
  return { onCall, ann, service, source, open, page }
}

test('a note of a person stands in the timeline and in the log', async () => {
  const { onCall, ann, open, page } = await anIncident()
  const key = await open()
  await addNote(ann, key, '  The cache was cold.  ')
  const step = (await page(key)).timeline.at(-1)!
  assert.deepEqual([step.type, step.text, step.by], ['note', 'The cache was cold.', 'A member'])
  const entry = (await onCall.entries('incident_updated')).at(-1)
  assert.equal(entry.actor.userId, ann.personId)
  assert.equal(entry.entity.id, key)
  assert.equal(entry.details.note, 'The cache was cold.')
  await assert.rejects(addNote(ann, key, '   '), { code: 'invalid_request' })
  const stranger = await aMember(await aWorkspace(database.db), 'owner')
  await assert.rejects(addNote(stranger, key, 'x'), { code: 'incident_not_found' })
})

test('who was told is shown with what came of it', async () => {
  const { onCall, ann, open, page } = await anIncident(true)
  await onCall.place('#alerts')
  const key = await open()
  const states = async () =>
    Object.fromEntries((await page(key)).tellings.map(({ by, to, state }) => [`${by} ${to}`, state]))
  assert.deepEqual(await states(), {
    'app A member': 'sent',
    'mail A member': 'waiting',
    'post #alerts': 'waiting',
  })
  const mailer = { send: async () => ({ sent: false as const, reason: 'no such mailbox' }) }
  await onCall.perform('mail_member', mailMember(mailer, links))
  await onCall.perform('post_incident', postIncident(new PretendChat(), links, onCall))
  assert.deepEqual(await states(), {
    'app A member': 'sent',
    'mail A member': 'refused',
    'post #alerts': 'sent',
  })
  const { tellings, timeline } = await page(key)
  assert.equal(tellings.find(({ by }) => by === 'mail')!.error, 'no such mailbox')
  assert.deepEqual(timeline.map(({ type }) => type).slice(-2), ['mailed', 'posted'])
  assert.equal(ann.email.includes('@'), true)
})

test('incidents are found by status, service and severity, and alerts with why they opened none', async () => {
  const { onCall, ann, service, source, open } = await anIncident()
  await onCall.receive(source, { alerts: [anAlert({ severity: 'low', fingerprint: 'minor' })] })
  const alerts = (await listAlertRows(ann, { service: service.id }, firstPage)).data.map(fromJson)
  assert.match(alerts[0]!.reason!, /below high/)
  assert.equal(alerts[0]!.source.name, 'A generic source')
  const key = await open()
  for (const [filter, found] of [
    [{ status: 'open' }, [key]],
    [{ status: 'resolved' }, []],
    [{ service: service.id, severity: 'critical' }, [key]],
    [{ severity: 'low' }, []],
  ] as const) {
    const { data } = await listIncidents(ann, filter, firstPage)
    assert.deepEqual(
      data.map((incident) => fromJson(incident).key),
      found,
    )
  }
})

test('its alerts over time are what was reported while it was open, and nothing else of the same source', async () => {
  const { onCall, ann, service } = await anIncident()
  const billing = await onCall.service({}, 'Billing')
  const source = await onCall.source('generic', [service, billing])
  const here = { service: 'Checkout' }
  await onCall.receive(source, { alerts: [anAlert(here)] })
  const { key } = (await onCall.incidents())[0]!
  const openedAt = onCall.clock.now().toISOString()
  onCall.clock.forward(47 * 60_000)
  const other = anAlert({ ...here, fingerprint: 'disk' })
  const elsewhere = anAlert({ service: 'Billing', fingerprint: 'invoices' })
  await onCall.receive(source, { alerts: [anAlert(here), other, elsewhere] })
  await onCall.receive(source, { alerts: [anAlert(here)] })
  onCall.clock.forward(60_000)
  await onCall.receive(source, {
    alerts: [anAlert({ ...here, status: 'resolved' }), { ...other, status: 'resolved' }],
  })
  const resolvedAt = onCall.clock.now().toISOString()
  // A new occurrence opens another incident.
  onCall.clock.forward(60_000)
  await onCall.receive(source, { alerts: [anAlert(here)] })
  const { counts, ...rest } = await readAlertActivity(ann, key)
  assert.deepEqual(rest, { from: openedAt, to: resolvedAt, isCut: false })
  assert.equal(counts.length, 48)
  assert.deepEqual([counts[0], counts[47], counts.reduce((sum, count) => sum + count)], [1, 3, 4])
  await assert.rejects(readAlertActivity(ann, 'inc-zzzz'), { code: 'incident_not_found' })
})
