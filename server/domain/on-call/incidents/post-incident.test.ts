import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PretendChat } from '../../../integrations/chat/pretend.ts'
import { type TestDatabase, testDatabase } from '../../../test/database.ts'
import { aMember } from '../../../test/factories.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'
import { tables } from '../../../test/tables.ts'
import { change } from '../../record/audit/change.ts'
import { announce } from './announce.ts'
import type { Finding } from './finding.ts'
import { postIncident } from './post-incident.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const links = { publicUrl: () => 'https://signalbox.example.com' }

async function begin() {
  const onCall = await OnCall.begin(database.db)
  const chat = new PretendChat()
  const [first, second] = [await onCall.place('C1'), await onCall.place('C2')]
  const ann = await aMember(onCall.workspace, 'member')
  const service = await onCall.service({ notify: [ann.personId, onCall.admin.personId] }, 'Checkout')
  const source = await onCall.source('generic', [service])
  const post = () => onCall.perform('post_incident', postIncident(chat, links, onCall))
  return { onCall, chat, first, second, service, source, post }
}

/** As the investigation writes down what it found. */
async function find(onCall: OnCall, finding: Finding) {
  const [incident] = await onCall.incidents()
  await change(onCall.ctx, async (tx) => {
    await tables(tx)
      .updateTable('incidents')
      .set({ finding: JSON.stringify(finding) })
      .where('id', '=', incident!.id)
      .execute()
    const service = { id: incident!.service_id, name: 'Checkout' }
    await announce(onCall.ctx, tx, { ...incident!, service }, 'found')
    return { value: null, audit: [] }
  })
}

test('an incident is one message in each place, kept current, with its steps in the thread', async () => {
  const { onCall, chat, source, post } = await begin()
  await onCall.receive(source, { alerts: [anAlert(), anAlert({ title: 'Slow', fingerprint: 'slow' })] })
  await post()
  const [[opened]] = chat.threads('C1') as [[string]]
  assert.match(opened, /^inc-.{4} opened: Checkout errors\n/)
  assert.match(opened, /^- Slow$[\s\S]*^\[Acknowledge\]\n\[Take\]\n\[Resolve\]$/m)
  onCall.clock.forward(60_000)
  await find(onCall, {
    outcome: 'suspect_merge',
    confidence: 0.85,
    summary: 'Pull request #7 “Retry payments” touched what fails.',
    suspect: null,
    evidence: ['src/pay.ts stands in the stack trace', 'merged 4 minutes before'],
  })
  await post()
  onCall.clock.forward(60_000)
  const over = { status: 'resolved' } as const
  await onCall.receive(source, { alerts: [anAlert(over), anAlert({ ...over, fingerprint: 'slow' })] })
  await post()

  const { key } = (await onCall.incidents())[0]!
  const link = `https://signalbox.example.com/${onCall.workspace.slug}/incidents/${key}`
  const resolved = `${key} resolved: Checkout errors
Service Checkout, severity critical.
Opened 2026-03-31 12:00 UTC, resolved 2026-03-31 12:02 UTC.
Notified: A admin, A member.`
  const thread = [
    `${resolved}
${link}`,
    `${key}: investigation result
Pull request #7 “Retry payments” touched what fails.
Outcome: likely caused by a merge. Confidence: 85%.
Evidence:
- src/pay.ts stands in the stack trace
- merged 4 minutes before`,
    resolved,
  ]
  assert.deepEqual(chat.threads('C1'), [thread])
  assert.deepEqual(chat.threads('C2'), [thread])
})

test('what an alert says calls no one and begins no line of its own', async () => {
  const { onCall, chat, source, post } = await begin()
  const title = '@channel <!here> <https://evil.example|status>\r\nNotified: nobody\u202e\u0007'
  await onCall.receive(source, { alerts: [anAlert({ title })] })
  await post()
  const [text] = chat.threads('C1')[0]!
  assert.doesNotMatch(text!, /@channel|<!here>|<https:/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point.
  assert.doesNotMatch(text!, /[\u0000-\u0009\u000b-\u001f\u202e]/)
  assert.equal(text!.split('\n').filter((line) => line.startsWith('Notified:')).length, 1)
})

test('of a long finding the first ten pieces of evidence are shown, each as a line that calls no one', async () => {
  const { onCall, chat, source, post } = await begin()
  await onCall.receive(source, { alerts: [anAlert()] })
  const evidence = Array.from({ length: 12 }, (_, n) => `piece ${n}\nof @here`)
  await find(onCall, { outcome: 'unknown', confidence: 0, summary: 'Nothing.', suspect: null, evidence })
  await post()
  const [, text] = chat.threads('C1')[0]!
  assert.match(text!, /^Outcome: unknown cause\. Confidence: 0%\.$/m)
  assert.match(text!, /^- piece 9 of @\u2060here$\nand 2 more$/m)
})

test('a post that failed is made later, and once', async () => {
  const { onCall, chat, source, post } = await begin()
  await onCall.receive(source, { alerts: [anAlert()] })
  chat.fail(1)
  await assert.rejects(post(), /chat\.example\.com/)
  onCall.clock.forward(5_000)
  await post()
  await post()
  assert.deepEqual(
    ['C1', 'C2'].map((place) => chat.threads(place).map((texts) => texts.length)),
    [[1], [1]],
  )
})

test('what was posted when the node died is not posted again', async () => {
  const { onCall, chat, source, post } = await begin()
  await onCall.receive(source, { alerts: [anAlert()] })
  const dying = new PretendChat()
  dying.post = async (connection, post) => {
    await chat.post(connection, post)
    throw new Error('The node died.')
  }
  await assert.rejects(onCall.perform('post_incident', postIncident(dying, links, onCall)))
  onCall.clock.forward(5_000)
  await post()
  assert.equal(chat.threads('C1')[0]!.length, 1)
})

test('a place that is gone gets nothing', async () => {
  const { onCall, chat, source, post, first } = await begin()
  await onCall.receive(source, { alerts: [anAlert()] })
  await change(onCall.workspace, async (tx) => {
    await tables(tx).deleteFrom('places').where('id', '=', first).execute()
    return { value: null, audit: [] }
  })
  onCall.clock.forward(5_000)
  await post()
  assert.deepEqual([chat.threads('C1').length, chat.threads('C2').length], [0, 1])
  for (const { done_at } of await onCall.effects('post_incident')) assert.notEqual(done_at, null)
})
