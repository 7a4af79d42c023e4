import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { NightReport } from '@signalbox/contract/app/night-report.ts'
import { secretsFrom } from '../../../infra/secrets.ts'
import { auditEvents } from '../../../test/audit-events.ts'
import { testDatabase } from '../../../test/database.ts'
import { SlackDouble } from '../../../test/doubles/slack.ts'
import { goesWell, goesWrong, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aMember, aWorkspace } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { aConnection } from '../../../test/tools/connections.ts'
import { slackOnLoopback } from '../../../test/tools/slack-channel.ts'
import { listNotifications } from '../../accounts/notifications/list.ts'
import { chooseReport } from '../../accounts/notifications/report-settings.ts'
import { choose } from '../../accounts/notifications/settings.ts'
import type { Context } from '../../context.ts'
import type { Mailer } from '../../ports/mailer.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { type Performers, performEffect } from '../../record/outbox/perform.ts'
import { mailReport } from './mail.ts'
import { postReport } from './post.ts'
import { listMornings, readReport } from './read.ts'
import type { PersonContext } from './read-night.ts'
import { sendDueReports } from './send-due.ts'

const database = await testDatabase()
after(() => database.close())
const { db } = database
const hour = 3_600_000

type Person = Context & { personId: string }
const asPerson = (person: Person) => person as Person & PersonContext

const engine = new TestEngine(db)
const { clock, queue } = engine
const send = () =>
  sendDueReports({ db, clock, queue }, (error) => {
    throw error
  })
const reportsOf = async (person: Person) =>
  (await listNotifications(person, person.personId, { limit: 100, after: null })).data
    .map((json) => JSON.parse(json))
    .filter(({ kind }) => kind === 'report')
const texts = ({ done, nearly, waiting }: NightReport) =>
  [done, nearly, waiting].map(({ sentences }) => sentences.map(({ text }) => text))

// The clock begins at noon on 31 March 2026.
test('each person has it once each morning: by the app, by email and in chat, as they chose', async () => {
  const run = await OneRun.begin(engine)
  const owner = run.owner as Person
  const [member, quiet] = [await aMember(owner, 'member'), await aMember(owner, 'member')]
  // Elsewhere nothing happens, and no one there is told so.
  const still = await aMember(await aWorkspace(db, clock), 'owner')
  clock.forward(7 * hour)
  await run.tell(
    goesWell.plan,
    goesWell.change,
    goesWrong.gates,
    goesWell.change,
    goesWell.gates,
    goesWell.finish,
  )
  const waiting = await OneRun.begin(engine, { owner, preset: 'supervised' })
  await waiting.tell(goesWell.plan)
  const { key: decision, title } = await waiting.asked()

  await choose(owner, owner.personId, 'report', { inApp: true, byMail: true, byPush: false })
  await choose(quiet, quiet.personId, 'report', { inApp: false, byMail: false, byPush: false })
  const slack = await SlackDouble.start()
  after(() => slack.stop())
  slack.addUser({ id: 'U1', name: 'ann', email: 'ann@example.com' })
  const secrets = secretsFrom('a key for tests that nobody else has')
  const { botToken, signingSecret } = slack
  const connection = await aConnection(owner, secrets, {
    ...{ kind: 'slack', method: 'bot', baseUrl: slack.url, credentials: { botToken, signingSecret } },
  })
  await housekeeping(db, 'a link for a test', (tx) =>
    tables(tx)
      .insertInto('chat_links')
      .values({
        ...{ workspace_id: owner.workspaceId, connection_id: connection.id, chat_user: 'U1' },
        ...{ person_id: owner.personId, linked_at: clock.now() },
      })
      .execute(),
  )
  await chooseReport(owner, owner.personId, { hour: 7, timeZone: 'UTC', byChat: true })
  await chooseReport(member, member.personId, { hour: 6, timeZone: 'America/New_York', byChat: false })
  const changed = (await auditEvents(db, owner.workspaceId)).filter(
    ({ event, details }) => event === 'notifications_changed' && details.change === 'report',
  )
  assert.equal(changed.length, 2)
  await assert.rejects(
    chooseReport(owner, owner.personId, { hour: 7, timeZone: 'Mars/Olympus', byChat: true }),
    /`timeZone` must be a name like Europe\/Oslo/,
  )

  clock.forward(12 * hour - 60_000)
  assert.equal(await send(), 0, 'one minute to seven')
  const newcomer = await aMember(owner, 'member')
  clock.forward(60_000)
  // A node that dies while it writes has sent nothing; then two nodes look in the same minute.
  engine.dieAtSend = 0
  await assert.rejects(send())
  assert.deepEqual(await reportsOf(owner), [])
  engine.dieAtSend = null
  assert.equal(
    (await Promise.all([send(), send()])).reduce((sum, n) => sum + n),
    1,
  )
  clock.forward(60_000)
  assert.equal(await send(), 0, 'once')

  const [told, ...others] = await reportsOf(owner)
  assert.deepEqual(others, [])
  assert.deepEqual([told.thing, told.title], ['2026-04-01', 'Night shift report of 2026-04-01'])
  for (const person of [member, quiet, newcomer]) assert.deepEqual(await reportsOf(person), [])
  assert.deepEqual(await reportsOf(still), [], 'nothing to say')
  assert.deepEqual(await listMornings(asPerson(still)), [])

  const story = await run.readStory()
  const sent = await readReport(asPerson(owner), '2026-04-01')
  assert.deepEqual(
    texts(sent).map((some) => some.slice(0, 1)),
    [
      [`Finished: ${story.title} (${run.key})`],
      [`A gate failed and the change was reworked: ${story.title} (${run.key}). It finished`],
      [`${title} (${waiting.story.key}, ${decision})`],
    ],
  )
  assert.deepEqual(await listMornings(asPerson(owner)), ['2026-04-01'])
  await assert.rejects(readReport(asPerson(member), '2026-04-01'), /You have no night shift report/)

  // What is to be sent is in the outbox. The answer of Slack is lost once, and it has one message all the same.
  const mails: Parameters<Mailer['send']>[0][] = []
  const mailer: Mailer = { send: async (mail) => ({ sent: mails.push(mail) > 0 }) as { sent: true } }
  const publicUrl = () => 'https://box.example.com'
  const performers = {
    mail_report: mailReport(mailer, { publicUrl }),
    post_report: postReport(slackOnLoopback, { secrets, publicUrl }),
  } as unknown as Performers
  const effects = await tables(db)
    .selectFrom('effects')
    .select(['id', 'kind'])
    .where('kind', 'in', Object.keys(performers))
    .execute()
  assert.deepEqual(effects.map(({ kind }) => kind).toSorted(), ['mail_report', 'post_report'])
  slack.answered = (method) => {
    slack.answered = () => {}
    assert.equal(method, 'conversations.open')
    slack.fail({ status: 502, afterwards: true })
  }
  for (let round = 0; round < 3; round += 1) {
    for (const { id } of effects) await performEffect(owner, id, performers).catch(() => {})
    clock.forward(60_000)
  }
  assert.equal(mails.length, 1)
  assert.equal(mails[0]!.to.address, (owner as unknown as { email: string }).email)
  const workspace = new URL(/https:\S+\/report\//.exec(mails[0]!.text)![0]).pathname.split('/')[1]
  assert.match(mails[0]!.text, new RegExp(`\\n  https://box\\.example\\.com/${workspace}/runs/${run.key}\\n`))
  assert.equal(slack.messages.length, 1)
  const [message] = slack.messages
  assert.equal(message!.channel, 'DU1')
  const drawn = message!.blocks.map((block) => block.text?.text ?? '').join('\n')
  assert.match(drawn, new RegExp(`<https://box\\.example\\.com/${workspace}/decisions/${decision}\\|`))

  // At ten in the morning it is six o'clock in New York, by summer time.
  clock.forward(Date.parse('2026-04-01T10:00:00Z') - clock.now().getTime())
  assert.equal(await send(), 1)
  assert.equal((await reportsOf(member)).length, 1)

  // The next one begins where the last ended: the run is not told again, and what waits still is.
  clock.forward(Date.parse('2026-04-02T07:00:00Z') - clock.now().getTime())
  assert.equal(await send(), 2, 'with the newcomer')
  const next = await readReport(asPerson(owner), '2026-04-02')
  assert.deepEqual(texts(next), [[], [], [`${title} (${waiting.story.key}, ${decision})`]])
  assert.equal(next.from, sent.until)
  // Opened at noon, it says what came since.
  clock.forward(5 * hour)
  await waiting.answer('approve')
  clock.forward(60_000)
  const now = await readReport(asPerson(owner), null)
  assert.deepEqual([now.from, now.until], [next.from, clock.now().toISOString()])
  assert.deepEqual(texts(now).slice(1), [[], []])
  assert.deepEqual(texts(now)[0]!.slice(-1), ['1 decision was answered'])
})
