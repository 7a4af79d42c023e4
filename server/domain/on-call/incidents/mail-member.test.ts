import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { smtpMailer } from '../../../integrations/mail/smtp.ts'
import { type TestDatabase, testDatabase } from '../../../test/database.ts'
import { aMember } from '../../../test/factories.ts'
import { mailHost } from '../../../test/hosts/mail-host.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'
import { removeMember } from '../../accounts/workspaces/remove-member.ts'
import { mailMember } from './mail-member.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const links = { publicUrl: () => 'https://signalbox.example.com' }

async function begin(t: TestContext, options: Parameters<typeof mailHost>[1] = {}) {
  const onCall = await OnCall.begin(database.db)
  const { arrived, settings } = await mailHost(t, options)
  const ann = await aMember(onCall.workspace, 'member')
  const service = await onCall.service({ notify: [ann.personId] }, 'Checkout')
  const source = await onCall.source('generic', [service])
  const performer = mailMember(smtpMailer(settings), links)
  return { onCall, arrived, ann, source, performer, settings }
}

test('a member is mailed when an incident opens and when it is resolved', async (t) => {
  const { onCall, arrived, ann, source, performer } = await begin(t)
  const alerts = Array.from({ length: 12 }, (_, n) => anAlert({ title: `Alert ${n}`, fingerprint: `f${n}` }))
  await onCall.receive(source, { alerts })
  await onCall.perform('mail_member', performer)
  onCall.clock.forward(5 * 60_000)
  await onCall.receive(source, { alerts: alerts.map((alert) => ({ ...alert, status: 'resolved' as const })) })
  await onCall.perform('mail_member', performer)
  const { key } = (await onCall.incidents())[0]!
  assert.deepEqual(
    arrived.map(({ to, headers }) => [to, /^Subject: (.*)$/m.exec(headers)?.[1]]),
    [
      [[ann.email], `[${key}] opened: Alert 0`],
      [[ann.email], `[${key}] resolved: Alert 0`],
    ],
  )
  const { text } = arrived[0]!
  assert.match(text, /Service Checkout, severity critical\./)
  assert.match(text, /Opened 2026-03-31 12:00 UTC\./)
  assert.match(text, /^- Alert 0$/m)
  assert.match(text, /^- Alert 9$/m)
  assert.doesNotMatch(text, /Alert 10/)
  assert.match(text, /^and 2 more$/m)
  assert.ok(text.includes(`https://signalbox.example.com/${onCall.workspace.slug}/incidents/${key}\n`))
  assert.match(arrived[1]!.text, /Opened 2026-03-31 12:00 UTC, resolved 2026-03-31 12:05 UTC\./)
})

test('what an alert says is text in the mail and no more', async (t) => {
  const { onCall, arrived, source, performer } = await begin(t)
  const title = 'x\u202e\u0007<script>alert(1)</script>\r\nBcc: eve@example.com'
  await onCall.receive(source, { alerts: [anAlert({ title })] })
  await onCall.perform('mail_member', performer)
  const [{ headers, text, to }] = arrived as [(typeof arrived)[0]]
  assert.equal(to.length, 1)
  assert.doesNotMatch(headers, /^bcc/im)
  assert.match(headers, /^Content-Type: text\/plain/m)
  assert.match(text, /^- x <script>alert\(1\)<\/script> Bcc: eve@example\.com$/m)
})

test('a mail that could not be sent is sent later, under the same Message-ID', async (t) => {
  let refusals = 2
  const { onCall, arrived, source, performer } = await begin(t, {
    onMailFrom(_, __, done) {
      refusals -= 1
      done(refusals >= 0 ? Object.assign(new Error('Busy'), { responseCode: 421 }) : null)
    },
  })
  await onCall.receive(source, { alerts: [anAlert()] })
  for (const seconds of [5, 10]) {
    await assert.rejects(onCall.perform('mail_member', performer), /did not accept the message/)
    assert.match((await onCall.effects('mail_member'))[0]!.last_error!, /421/)
    // Before its time it is not tried again.
    await onCall.perform('mail_member', performer)
    onCall.clock.forward(seconds * 1_000)
  }
  assert.equal(arrived.length, 0)
  await onCall.perform('mail_member', performer)
  onCall.clock.forward(3_600_000)
  await onCall.perform('mail_member', performer)
  assert.equal(arrived.length, 1)
  const [effect] = await onCall.effects('mail_member')
  assert.deepEqual([effect!.attempts, effect!.due_at, effect!.last_error], [3, null, null])
})

test('a member who was called is left alone for as long as they asked, but an hour at most', async (t) => {
  const { onCall, source } = await begin(t)
  await onCall.receive(source, { alerts: [anAlert()] })
  const due = async () => (await onCall.effects('mail_member'))[0]!.due_at!.getTime()
  for (const [asked, seconds] of [
    [90_000, 90],
    [null, 10],
    [86_400_000, 3_600],
  ] as const) {
    const busy = Object.assign(new Error('Busy'), { retryAfterMs: asked })
    await assert.rejects(
      onCall.perform('mail_member', async () => {
        throw busy
      }),
    )
    assert.equal((await due()) - onCall.clock.now().getTime(), seconds * 1_000)
    onCall.clock.forward(seconds * 1_000)
  }
})

test('a recipient whom the server refuses for good is not tried again, and the log says so', async (t) => {
  const { onCall, source, performer, ann } = await begin(t, {
    onRcptTo: (_, __, done) => done(Object.assign(new Error('No such user'), { responseCode: 550 })),
  })
  await onCall.receive(source, { alerts: [anAlert()] })
  await onCall.perform('mail_member', performer)
  assert.equal((await onCall.effects('mail_member'))[0]!.due_at, null)
  const [{ result, details, entity }] = await onCall.entries('incident_updated')
  assert.deepEqual(
    [result, details.change, details.reason],
    ['failure', 'e-mail refused', '550 No such user'],
  )
  assert.match(entity.id, /^inc-/)
  assert.equal(details.member, ann.actor.name)
})

test('a member who has left gets nothing', async (t) => {
  const { onCall, arrived, source, performer, ann } = await begin(t)
  await onCall.receive(source, { alerts: [anAlert()] })
  await removeMember(onCall.admin, ann.personId)
  await onCall.perform('mail_member', performer)
  assert.equal(arrived.length, 0)
  assert.equal((await onCall.effects('mail_member'))[0]!.due_at, null)
})

test('without a mail server nothing is left to be done', async (t) => {
  const { onCall, source } = await begin(t)
  await onCall.receive(source, { alerts: [anAlert()] })
  await onCall.perform('mail_member', mailMember(null, links))
  assert.notEqual((await onCall.effects('mail_member'))[0]!.done_at, null)
})
