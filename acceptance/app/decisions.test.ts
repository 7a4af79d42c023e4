import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { AuditEntry } from '../../contract/audit.ts'
import type { Decision } from '../../contract/decision.ts'
import { calm, type Demo, startDemo, until } from '../demo.ts'
import { assertQuiet, choose, openTab, openWindow, screen, signedInTab, withoutBrowser } from './browser.ts'

/** What the product is for: a person answers. */
describe('decisions in the app', { skip: withoutBrowser }, () => {
  let demo: Demo
  before(async () => {
    // The inbox must not change between two presses of a key.
    demo = await startDemo({ env: calm })
  })

  const read = (key: string) => demo.get<Decision>(`/v1/decisions/${key}`)

  for (const pause of process.env.FAULTS === 'all' ? [0, 30, 60, 90] : [0, 60])
    test(`keys after Ctrl+K are the palette's, ${pause} ms apart, although it comes after them`, async () => {
      const tab = await signedInTab(demo)
      const posted: string[] = []
      tab.on('request', (request) => {
        if (request.method() === 'POST' && request.url().includes('/decisions.')) posted.push(request.url())
      })
      // Nothing is in the cache of a new window, and the network is as slow as can be.
      let arrive = () => {}
      const typed = new Promise<void>((resolve) => {
        arrive = resolve
      })
      await tab.route(/assets\/palette-/, (route) => typed.then(() => route.continue()))
      await tab.goto(screen(demo, 'inbox'))
      await tab.getByRole('listbox').getByRole('option').first().waitFor()
      await tab.waitForURL(/[?&]key=dec-/)
      await tab.keyboard.press('Control+k')
      await tab.keyboard.type('WEB-12', { delay: pause })
      await tab.keyboard.press('Enter')
      arrive()
      await tab.waitForURL('**/stories/WEB-12')
      assert.deepEqual(posted, [])
      await tab.context().close()
    })

  test('Escape takes back a palette that has not come yet, and the keys are the inbox’s again', async () => {
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, 'inbox'))
    await tab.getByRole('listbox').getByRole('option').first().waitFor()
    await tab.waitForURL(/[?&]key=dec-/)
    const first = new URL(tab.url()).searchParams.get('key')
    await tab.keyboard.press('Control+k')
    await tab.keyboard.press('Escape')
    await tab.getByRole('dialog').waitFor({ state: 'detached' })
    await until('the next one is selected', async () => {
      await tab.keyboard.press('j')
      return new URL(tab.url()).searchParams.get('key') !== first
    })
    await tab.context().close()
  })

  test('who leaves the inbox for a screen that is slow to come is not called back by the address of the inbox', async () => {
    const tab = await signedInTab(demo)
    const { promise: isDue, resolve: arrive } = Promise.withResolvers<void>()
    await tab.route(/assets\/incidents-/, (route) => isDue.then(() => route.continue()))
    await tab.goto(screen(demo, 'inbox'))
    await tab.waitForURL(/[?&]key=dec-/)
    // The address follows the selection after 200 ms: what is waited for here is due after that.
    await tab.evaluate(`new Promise((resolve) => {
      document.querySelectorAll('[role=option]')[1].click()
      void __TSR_ROUTER__.navigate({ href: ${JSON.stringify(new URL(screen(demo, 'incidents')).pathname)} })
      setTimeout(resolve, 300)
    })`)
    arrive()
    await tab.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor()
    assert.match(tab.url(), /\/incidents$/)
    await tab.context().close()
  })

  test('a newcomer answers a decision by keyboard alone, seconds after opening the address', async () => {
    const tab = await openTab(await openWindow())
    const { email, password } = demo.started.people.owner
    await tab.goto(demo.started.url)
    await tab.waitForURL('**/login')
    await tab.locator('input[name="email"]:focus').waitFor()
    await tab.keyboard.type(email)
    await tab.keyboard.press('Tab')
    await tab.keyboard.type(password)
    await tab.keyboard.press('Enter')
    await tab.waitForURL('**/inbox')
    await tab.getByRole('listbox').getByRole('option').first().waitFor()

    // The first one is selected. Down to the third and up again to the second; the address follows.
    const selected = () => new URL(tab.url()).searchParams.get('key')
    await tab.waitForURL(/[?&]key=dec-/)
    const first = selected()
    await tab.keyboard.press('j')
    await until('the second one is selected', () => selected() !== first)
    const key = selected()!
    await tab.keyboard.press('j')
    await until('the next one is selected', () => selected() !== key)
    await tab.keyboard.press('k')
    await until('the one before is selected again', () => selected() === key)
    assert.equal((await read(key)).status, 'pending')

    // A number chooses and shows what would happen; nothing is sent yet. It means nothing before the answers are drawn.
    await tab.locator(`#says-${key}`).waitFor()
    await choose(tab, key, 1)
    assert.equal((await read(key)).status, 'pending')
    await tab.keyboard.press('Enter')
    await until('the decision is answered', async () => (await read(key)).status === 'resolved')
    const answered = await read(key)
    assert.equal(answered.resolvedVia, 'app')
    assert.equal(answered.resolution!.optionId, answered.options[0]!.id)

    // The next one is selected, without a hand on the mouse, and the log names person and channel.
    await tab.waitForURL((url) => ![null, key].includes(url.searchParams.get('key')))
    const [entry] = await demo.all<AuditEntry>(
      `/v1/audit?event=decision_resolved&from=${answered.resolvedAt!}`,
    )
    assert.equal(entry!.entity.id, key)
    assert.equal(entry!.details.channel, 'app')
    assert.equal(entry!.actor.name, 'Inês Carvalho')
    assertQuiet(tab, /401/)
  })

  test('two browsers, one decision: the second is told who was first, and keeps its note', async () => {
    const [first, second] = [await signedInTab(demo, 'owner'), await signedInTab(demo, 'admin')]
    const pending = await demo.all<Decision>('/v1/decisions?status=pending')
    const decision = pending.findLast(({ kind }) => kind === 'plan_approval')
    const address = screen(demo, `decisions/${decision!.key}`)
    await Promise.all([first.goto(address), second.goto(address)])
    await second.getByLabel('Note (optional)').fill('my own words')
    const option = first.getByRole('radio').first()
    await option.check()
    await first.locator(`[aria-describedby="says-${decision!.key}"]`).click()
    await until('it is answered', async () => (await read(decision!.key)).status === 'resolved')

    await second.getByText(/Inês Carvalho answered/).waitFor()
    await second.getByText('The first answer wins.').waitFor()
    assert.equal(await second.getByLabel('Your unsent note').inputValue(), 'my own words')
    assertQuiet(first, /401/)
    assertQuiet(second, /401/)
  })

  test('hostile text of an agent stays text: no script, no picture from elsewhere, no link but to the web', async () => {
    const tab = await signedInTab(demo)
    const asked: string[] = []
    tab.on('request', (request) => asked.push(request.url()))
    const [decision] = await demo.all<Decision>('/v1/decisions?status=pending')
    // What the server would send if an agent had written it.
    const hostile =
      'Look: <img src="https://evil.example/a.png" onerror="alert(1)"> ![x](https://evil.example/b.png) <script>alert(2)</script> [a](javascript:alert(3)) [b](https://ok.example)'
    await tab.route('**/decisions.read*', async (route) => {
      const reply = await route.fetch()
      const body = await reply.json()
      body.decision.body = hostile
      await route.fulfill({ response: reply, json: body })
    })
    tab.on('dialog', () => assert.fail('a script ran'))
    await tab.goto(screen(demo, `decisions/${decision!.key}`))
    await tab.getByRole('link', { name: 'b', exact: true }).waitFor()
    assert.equal(await tab.locator('main img').count(), 0)
    assert.equal(await tab.locator('main a[href^="javascript"]').count(), 0)
    assert.match((await tab.getByRole('link', { name: 'b', exact: true }).getAttribute('rel'))!, /noopener/)
    assert.deepEqual(
      asked.filter((url) => url.includes('evil')),
      [],
    )
    // It would go on to ask, and be answered, through all that follows.
    await tab.unrouteAll({ behavior: 'ignoreErrors' })
    await tab.context().close()
  })

  test('a tab whose stream is held open and silent says so quietly, and reads on its own', async () => {
    const tab = await signedInTab(demo, 'owner')
    await tab.clock.install()
    await tab.route(/\/events$/, () => {})
    await tab.goto(screen(demo, 'inbox'))
    const rows = tab.getByRole('listbox').getByRole('option')
    await rows.first().waitFor()
    // The oldest: runs of the demo ask more in the meantime, which come after the rows in sight.
    const pending = await demo.all<Decision>('/v1/decisions?status=pending')
    const decision = pending.findLast(({ kind }) => kind === 'clarification')
    const row = rows.filter({ hasText: decision!.title })
    await row.first().waitFor()
    await tab.clock.fastForward(10_000)
    await tab.clock.fastForward(2_000)
    await tab.getByText('Live updates are paused. This page refreshes every 10 seconds.').waitFor()
    assert.equal(await tab.getByText('Connection lost').count(), 0)
    const reply = await demo.ask(`/v1/decisions/${decision!.key}/resolve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ optionId: decision!.options[0]!.id, note: 'Yes' }),
    })
    assert.equal(reply.status, 200)
    await tab.clock.fastForward(10_000)
    await row.first().waitFor({ state: 'detached' })
    // The stream comes through again, and the note goes.
    await tab.unrouteAll({ behavior: 'ignoreErrors' })
    await tab.clock.fastForward(10_000)
    await tab.getByText('Live updates are paused').waitFor({ state: 'detached' })
    await tab.context().close()
  })

  test('a tab that stays open while the server is restarted catches up on its own', async () => {
    const port = Number(new URL(demo.started.url).port)
    const tab = await signedInTab(demo, 'owner')
    await tab.goto(screen(demo, 'inbox'))
    await tab.getByRole('listbox').getByRole('option').first().waitFor()
    const text = await tab.getByRole('listbox').getByRole('option').first().innerText()
    const pending = await demo.all<Decision>('/v1/decisions?status=pending')
    const decision = pending.find(({ title }) => text.includes(title))
    const row = tab.getByRole('listbox').getByRole('option').filter({ hasText: decision!.title })

    const other = await signedInTab(demo, 'owner')
    await other.goto(screen(demo, 'inbox'))
    await other.getByRole('listbox').getByRole('option').first().waitFor()

    await demo.end('SIGTERM')
    await tab.getByText('Connection lost. Reconnecting…').waitFor()
    // A screen whose code never came, opened now.
    await other.getByRole('link', { name: 'Insights' }).click()
    await other.getByRole('alert').getByText('Can’t reach the server').waitFor()
    const again = await startDemo({ data: demo.data, port, env: calm })
    const reply = await again.ask(`/v1/decisions/${decision!.key}/resolve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ optionId: decision!.options[0]!.id }),
    })
    assert.equal(reply.status, 200)
    await row.first().waitFor({ state: 'detached' })
    await tab.getByText('Connection lost. Reconnecting…').waitFor({ state: 'detached' })
    await other.getByRole('heading', { name: 'Insights', level: 1 }).waitFor()
  })
})
