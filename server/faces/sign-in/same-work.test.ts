import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { addPerson } from '../../domain/accounts/workspaces/add-person.ts'
import { testApp } from '../../test/app.ts'
import { auditEvents } from '../../test/audit-events.ts'
import { browser } from '../../test/browser.ts'
import { TestClock } from '../../test/clock.ts'
import { aWorkspace } from '../../test/factories.ts'
import { mailHost } from '../../test/hosts/mail-host.ts'
import { until } from '../../test/until.ts'

/** How long an answer takes does not tell whether an address is known: what is done until then is the same. */

const host = await mailHost({ after })
const clock = new TestClock()
const app = await testApp({
  clock,
  env: { SMTP_URL: `smtp://127.0.0.1:${host.settings.port}`, MAIL_FROM: 'Signalbox <a@example.com>' },
})
after(() => app.stop())
const workspaces = [await aWorkspace(app.storage.db), await aWorkspace(app.storage.db)]
const email = 'known@example.com'
for (const workspace of workspaces)
  await addPerson(workspace, { email, name: 'Known', role: 'owner', password: 'correct horse battery' })
const page = browser(app.url)

/** Statements of one request, without those of background work. */
async function statementsOf(path: string, body: object): Promise<string[]> {
  const sent: { client: unknown; text: string }[] = []
  const { query } = pg.Client.prototype
  // biome-ignore lint/suspicious/noExplicitAny: pg declares nine overloads
  const recording = function (this: pg.Client, ...given: any[]): any {
    const text = typeof given[0] === 'string' ? given[0] : given[0]?.text
    sent.push({ client: this, text: String(text).replaceAll(/\s+/g, ' ').trim() })
    return Reflect.apply(query, this, given)
  }
  pg.Client.prototype.query = recording
  try {
    await page.post(path, body)
  } finally {
    pg.Client.prototype.query = query
  }
  const transactions = Map.groupBy(sent, ({ client }) => client).values()
  return [...transactions].flatMap(transactionsOf).filter(isOfSignIn).sort()
}

/** What stands between begin and commit belongs together. */
function transactionsOf(sent: { text: string }[]): string[] {
  const found: string[] = []
  let within: string[] | null = null
  for (const { text } of sent) {
    if (text === 'begin') within = [text]
    else if (within) within.push(text)
    else found.push(text)
    if (within && /^(commit|rollback)$/.test(text)) {
      found.push(within.join('; '))
      within = null
    }
  }
  return within ? [...found, within.join('; ')] : found
}

/** The clock stands, so what is left to be done, or whom to send a report, is looked for, and not done. */
const isOfSignIn = (text: string) =>
  /\b(people|accounts|verifications|sign_in_\w+|memberships)\b/.test(text) &&
  !/update sign_in_follow_ups|from sign_in_follow_ups where due_at|join report_settings/.test(text)

for (const [path, more] of [
  ['/api/auth/sign-in/email', { password: 'wrong' }],
  ['/api/auth/request-password-reset', {}],
] as const) {
  test(`${path} asks the database the same of a known and of an unknown address`, async () => {
    // The first request of its kind also prepares what all others share.
    await page.post(path, { email: 'first@example.com', ...more })
    const known = await statementsOf(path, { email, ...more })
    const unknown = await statementsOf(path, { email: 'nobody@example.com', ...more })
    assert.ok(known.some((text) => text.includes('insert into sign_in_follow_ups')))
    assert.deepEqual(known, unknown)
  })
}

test('what was left to be done is done: the attempt is in the log of each workspace, the link is mailed', async () => {
  const left = () => app.storage.pool.query('select person_id from sign_in_follow_ups')
  // Killed now, the server would find them when it is started again.
  assert.equal((await left()).rows.filter(({ person_id }) => person_id !== null).length, 2)
  clock.forward(1_000)
  await until('nothing is left to be done', async () => (await left()).rowCount === 0)
  for (const { workspaceId } of workspaces) {
    const entries = (await auditEvents(app.storage.db, workspaceId)).filter(
      ({ event }) => event === 'sign_in_failed',
    )
    assert.equal(entries.length, 1)
    assert.ok((entries[0]!.details.origin as { requestId: string }).requestId)
  }
  await until('the mail has arrived', () => host.arrived.length === 1)
  assert.deepEqual(host.arrived[0]!.to, [email])
  assert.equal(app.log.filter((line) => line.includes('a sign-in to an unknown account failed')).length, 2)
})
