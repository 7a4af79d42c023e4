import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { AuditEntry } from '../../contract/audit.ts'
import type { Decision } from '../../contract/decision.ts'
import type { Run, RunListed } from '../../contract/run.ts'
import { type Demo, startDemo, until } from '../demo.ts'
import {
  accessibilityFaults,
  assertQuiet,
  follow,
  readDownload,
  screen,
  signedInTab,
  withoutBrowser,
} from './browser.ts'

/** The work itself: asked for, watched, stopped, proven. */
describe('work in the app', { skip: withoutBrowser }, () => {
  let demo: Demo
  before(async () => {
    demo = await startDemo()
  })

  test('a requirement becomes drafts, and a draft is made ready and approved', async () => {
    const tab = await signedInTab(demo, 'member')
    await tab.goto(screen(demo, 'intake/new'))
    await tab.getByLabel('Team').selectOption('checkout-web')
    await tab
      .getByLabel('What do you need?')
      .fill(
        'As a customer, I want to reprint my label so that I can replace a damaged one.\n\n- The order page offers the label as PDF.\n- A label of a delivered parcel is not offered.',
      )
    await tab.getByRole('button', { name: 'Submit' }).click()
    await tab.waitForURL(/\/intake\/(?!new)/)
    const draft = tab.getByRole('article').first()
    const key = /[A-Z]+-\d+/.exec((await draft.getAttribute('aria-label'))!)![0]
    const approve = draft.getByRole('button', { name: `Approve ${key}` })

    if ((await approve.getAttribute('aria-disabled')) === 'true') {
      await draft.getByRole('button', { name: `Edit ${key}` }).click()
      const form = tab.getByRole('form', { name: `Edit ${key}` })
      const title = form.getByLabel('Title')
      if ((await title.inputValue()).length < 20)
        await title.fill('Offer the label of an order for printing again')
      await form
        .getByLabel('Description')
        .fill(
          'Customers damage labels and call support to get another one. They should be able to print it again themselves, from the page of the order.',
        )
      await form
        .getByLabel('Demonstrate')
        .fill('Open an order that is on its way, press Print label, see the PDF.')
      await form.getByRole('textbox', { name: 'Criterion 1' }).fill('The order page offers the label as PDF.')
      const second = form.getByRole('textbox', { name: 'Criterion 2' })
      if ((await second.count()) === 0) await form.getByRole('button', { name: 'Add criterion' }).click()
      await second.fill('A label of a delivered parcel is not offered.')
      await form.getByLabel('Size').selectOption('s')
      await form.getByRole('button', { name: 'Save' }).click()
      await form.waitFor({ state: 'detached' })
    }
    await tab.locator(`[aria-label="Approve ${key}"]:not([aria-disabled="true"])`).click()
    await tab.getByText('Approved', { exact: true }).first().waitFor()
    const entries = await demo.all<AuditEntry>('/v1/audit?team=checkout-web&actor=human')
    assert.ok(entries.some(({ entity, actor }) => entity.id === key && actor.name === 'Amara Okafor'))
    assertQuiet(tab, /401/)
  })

  test('what was typed into a dialog or a form is not lost without a question', async () => {
    const tab = await signedInTab(demo, 'owner')
    await tab.goto(screen(demo, 'teams/checkout-web/board'))
    await tab.getByRole('button', { name: 'Create story' }).click()
    const dialog = tab.getByRole('dialog', { name: 'Create story' })
    const question = tab.getByRole('dialog', { name: 'Discard what you typed?' })
    await dialog.getByLabel('Title').focus()
    await tab.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await tab.getByRole('button', { name: 'Create story' }).click()
    await dialog.getByLabel('Description').fill('Customers call support.')
    for (const leave of [
      () => tab.keyboard.press('Escape'),
      () => dialog.getByRole('button', { name: 'Cancel' }).click(),
      () => dialog.getByRole('button', { name: 'Close' }).click(),
    ]) {
      await leave()
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await question.waitFor({ state: 'detached' })
      assert.equal(await dialog.getByLabel('Description').inputValue(), 'Customers call support.')
    }
    await tab.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Discard' }).click()
    await dialog.waitFor({ state: 'detached' })

    await tab.goto(screen(demo, 'settings/members'))
    await tab.getByRole('button', { name: 'Invite' }).first().click()
    const address = tab.getByLabel('Email')
    await address.fill('new.colleague@halden.example')
    await tab.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'detached' })
    assert.equal(await address.inputValue(), 'new.colleague@halden.example')
    await tab.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Discard' }).click()
    await address.waitFor({ state: 'detached' })

    await tab.goto(screen(demo, 'teams/new'))
    await tab.getByLabel('Name').fill('Returns')
    await tab.getByRole('link', { name: 'Runs' }).first().click()
    const leaving = tab.getByRole('dialog', { name: 'What you typed isn’t saved' })
    await leaving.getByRole('button', { name: 'Cancel' }).click()
    await leaving.waitFor({ state: 'detached' })
    assert.equal(await tab.getByLabel('Name').inputValue(), 'Returns')
    await tab.getByRole('button', { name: 'Create team' }).click()
    await tab.waitForURL(/\/teams\/returns\/board/)

    await tab.goto(screen(demo, 'incidents'))
    await tab.locator('a[href*="/incidents/"]').first().click()
    const note = tab.getByLabel('Add a note')
    await note.fill('The disk is full.')
    await tab.getByRole('link', { name: 'Runs' }).first().click()
    await leaving.getByRole('button', { name: 'Cancel' }).click()
    await tab.getByRole('button', { name: 'Add note' }).click()
    await tab.getByText('Note added').waitFor()
    await note.pressSequentially('More')
    await tab.getByRole('link', { name: 'Runs' }).first().click()
    await leaving.getByRole('button', { name: 'Leave without saving' }).click()
    await tab.waitForURL(/\/runs/)
    assertQuiet(tab)
  })

  test('cards are dragged and picked, a board is saved, and a decision is put off until later', async () => {
    const tab = await signedInTab(demo, 'owner')
    await tab.goto(screen(demo, 'teams/checkout-web/board'))
    const column = (role: string) => tab.locator(`[data-column="${role}"]`)
    const movable = column('backlog').locator('[data-card]:has([data-select]:not([disabled]))')
    await movable.first().waitFor()
    const keys = await movable.evaluateAll((cards) => cards.map((card) => card.getAttribute('data-card')!))
    const [key, other] = keys as [string, string]

    // Step by step, as a hand does it: a drag begins with the first move.
    const [from, to] = [await movable.first().boundingBox(), await column('refining').boundingBox()]
    await tab.mouse.move(from!.x + 30, from!.y + 12)
    await tab.mouse.down()
    await tab.mouse.move(from!.x + 50, from!.y + 40, { steps: 4 })
    await tab.getByText(`${key} picked up`).waitFor({ state: 'attached' })
    await tab.mouse.move(to!.x + 60, to!.y + 150, { steps: 4 })
    await tab.getByText('Over Refining', { exact: true }).waitFor({ state: 'attached' })
    await tab.mouse.up()
    await column('refining').locator(`[data-card="${key}"]:not([aria-busy])`).waitFor()
    await tab.getByText(`${key} moved to Refining`).waitFor()
    await tab.getByRole('button', { name: 'Undo' }).click()
    await column('backlog').locator(`[data-card="${key}"]:not([aria-busy])`).waitFor()

    // Two at a time; the second with the keyboard.
    await tab.getByRole('checkbox', { name: `Select ${key}` }).check()
    await tab.locator(`[data-card="${other}"] > a`).focus()
    await tab.keyboard.press('x')
    const bar = tab.getByRole('region', { name: 'Selected stories' })
    await bar.getByText('2 selected').waitFor()
    assert.deepEqual(await accessibilityFaults(tab), [])
    await bar.getByRole('button', { name: 'Move to…' }).click()
    await tab.getByRole('menuitem', { name: 'Refining' }).click()
    await tab.getByText('2 stories moved to Refining').waitFor()
    await bar.waitFor({ state: 'detached' })
    const moves = await demo.all<AuditEntry>('/v1/audit?team=checkout-web&event=story_changed&actor=human')
    const moved = moves.slice(0, 2).map(({ entity }) => entity.id)
    assert.deepEqual(moved.toSorted(), [key, other].toSorted())

    await tab.getByLabel('Sort').selectOption('newest')
    await tab.getByRole('button', { name: 'Views' }).click()
    await tab.getByRole('menuitem', { name: 'Save view…' }).click()
    await tab.getByRole('dialog', { name: 'Save view' }).getByLabel('Name').fill('Fresh ones')
    await tab.getByRole('button', { name: 'Save view' }).click()
    await tab.getByRole('button', { name: 'Fresh ones' }).waitFor()
    await follow(tab, screen(demo, 'teams/data-platform/board'))
    await tab.getByRole('button', { name: 'Views' }).click()
    await tab.getByRole('menuitem', { name: /Fresh ones/ }).click()
    await tab.waitForURL(/checkout-web\/board\?sort=newest/)

    await follow(tab, screen(demo, 'inbox'))
    const rows = tab.getByRole('listbox', { name: 'Decisions' }).getByRole('option')
    const badge = tab.getByRole('link', { name: /^Inbox/ }).first()
    await badge.getByText(/^\d+/).waitFor()
    const title = (await rows.first().locator('[dir=auto]').textContent())!
    await rows.first().click()
    await tab.getByRole('button', { name: 'Snooze' }).click()
    await tab.getByRole('menuitem', { name: /In 1 hour/ }).click()
    await rows.filter({ hasText: title }).waitFor({ state: 'detached' })
    await tab.getByRole('link', { name: /^Snoozed/ }).click()
    await rows.filter({ hasText: title }).filter({ hasText: 'Until' }).click()
    await tab.getByRole('button', { name: /^Snoozed until/ }).click()
    await tab.getByRole('menuitem', { name: 'Return to inbox now' }).click()
    await tab.getByText('Nothing snoozed').waitFor()
    await tab.getByRole('link', { name: /^Waiting/ }).click()
    await rows.filter({ hasText: title }).waitFor()

    // Put off from elsewhere, for seconds: the open page follows, and has it back at its time.
    const decision = (await demo.all<Decision>('/v1/decisions?status=pending')).find(
      (one) => one.title === title,
    )!
    const reply = await tab.request.post(
      `${demo.started.url}/api/w/${demo.started.workspace}/decisions.snooze`,
      {
        data: { key: decision.key, until: new Date(Date.now() + 15_000).toISOString() },
        headers: { origin: demo.started.url },
      },
    )
    assert.equal(reply.status(), 200, await reply.text())
    await rows.filter({ hasText: title }).waitFor({ state: 'detached' })
    await rows.filter({ hasText: title }).waitFor()
    assertQuiet(tab, /401/)
  })

  test('a run is stopped and retried, with its log running along', async () => {
    const tab = await signedInTab(demo, 'owner')
    const running = async () =>
      (await demo.all<RunListed>('/v1/runs')).find(({ status }) => status === 'running')
    await until('a run is at work', async () => (await running()) !== undefined)
    const { key } = (await running())!
    const run = () => demo.get<Run>(`/v1/runs/${key}`)
    await tab.goto(screen(demo, `runs/${key}?tab=logs`))
    await tab.getByRole('button', { name: 'Stop', exact: true }).click()
    await tab.getByRole('dialog').getByRole('button', { name: /Stop/ }).last().click()
    await until('the run is stopped', async () => (await run()).status === 'stopped')

    await tab.getByRole('button', { name: 'Retry', exact: true }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByRole('textbox').fill('Begin with the failing test.')
    await dialog.getByRole('button', { name: /Retry/ }).last().click()
    await until('a new attempt has begun', async () => ['queued', 'running'].includes((await run()).status))
    const attempts = (await run()).attempts
    // Lines of the new attempt arrive on their own.
    const log = tab.getByLabel('Log lines')
    await until('the log has lines', async () => ((await log.textContent()) ?? '').length > 100)
    assert.ok(attempts >= 2)
    const states = await demo.all<AuditEntry>(`/v1/audit?run=${key}&event=run_state_changed&actor=human`)
    assert.ok(states.length >= 2, 'both are in the log, by a person')
    assertQuiet(tab, /401/)
  })

  test('what the audit screen shows under a filter is what it exports', async () => {
    const tab = await signedInTab(demo, 'admin')
    await tab.goto(screen(demo, 'audit?event=decision_resolved&actor=human'))
    const rows = tab.getByRole('table').first().locator('tbody tr')
    await rows.first().waitFor()
    const more = tab.getByRole('button', { name: 'Load more' })
    for (;;) {
      const before = await rows.count()
      if ((await more.count()) === 0) break
      await more.click()
      await until('the next ones are shown', async () => (await rows.count()) > before)
    }
    const shown = (await tab.getByRole('table').first().innerText()).match(/dec-[a-z0-9]{4}/g) ?? []
    const [download] = await Promise.all([
      tab.waitForEvent('download'),
      tab.getByRole('button', { name: 'Export JSON' }).click(),
    ])
    const file = JSON.parse(await readDownload(download))
    const exported: AuditEntry[] = Array.isArray(file) ? file : (file.entries ?? file.data)
    assert.ok(exported.length > 0)
    assert.ok(exported.every(({ event, actor }) => event === 'decision_resolved' && actor.type === 'human'))
    assert.deepEqual(
      exported.map(({ entity }) => entity.id),
      [...new Set(shown)],
    )
    const [recorded] = await demo.all<AuditEntry>('/v1/audit?event=audit_exported')
    assert.equal(recorded!.actor.name, 'Tomasz Wróbel')
    assert.equal(recorded!.details.channel, 'app')
    assertQuiet(tab, /401/)
  })
})
