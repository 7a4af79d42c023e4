import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Diff } from '../../contract/app/runs.ts'
import type { Decision } from '../../contract/decision.ts'
import type { RunListed } from '../../contract/run.ts'
import { demoToLookAt, type Serving, until } from '../demo.ts'
import {
  accessibilityFaults,
  assertQuiet,
  follow,
  pressUntil,
  screen,
  signedInTab,
  type Tab,
  withoutBrowser,
} from './browser.ts'

/** A change is shown before it can be approved. */
describe('changes in the app', { skip: withoutBrowser }, () => {
  let demo: Serving
  let runs: RunListed[]
  before(async () => {
    demo = await demoToLookAt()
    runs = await demo.all<RunListed>('/v1/runs')
  })
  const runOf = (story: string) => runs.find((run) => run.story.key === story)!
  const file = (tab: Tab, path: string) => tab.getByRole('article', { name: path, exact: true })
  const headOf = (tab: Tab, path: string) => file(tab, path).getByRole('button', { expanded: true })

  test('the diff of a run is read file by file, and large files are opened on demand', async () => {
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, `runs/${runOf('DATA-6').key}?tab=changes`))
    const find = file(tab, 'tools/inventory/find.ts')
    await find.scrollIntoViewIfNeeded()
    await find.getByRole('row', { name: /^1 Added import \{ eventsOf \}/ }).waitFor()
    await find.getByRole('row', { name: /Removed found\.push/ }).waitFor()
    // Colours come after the text.
    await find.locator('.text-accent', { hasText: 'import' }).first().waitFor()

    const large = file(tab, 'jobs/backfill/recipient-lookup.test.ts')
    await large.getByText('This file is large: 589 changed lines.').waitFor()
    assert.equal(await large.getByRole('table').count(), 0)
    await large.getByRole('button', { name: 'Show file' }).click()
    await large.getByRole('row', { name: /expect\(rows\[0\]\.count\)/ }).waitFor({ state: 'attached' })
    assertQuiet(tab, /401/)
    await tab.context().close()
  })

  test('what a second review found is part of the evidence', async () => {
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, `runs/${runOf('LOCK-10').key}?tab=evidence`))
    await tab.getByText('By Gemini CLI, which only read the change.').waitFor()
    const findings = tab.getByRole('table', { name: 'Findings of the second review' })
    await findings.getByRole('row', { name: /^Medium src\/update\/journal\.c:118 A journal whose/ }).waitFor()
    assert.equal(await findings.getByRole('row').count(), 3)
    assert.deepEqual(await accessibilityFaults(tab), [])
    assertQuiet(tab, /401/)
    await tab.context().close()
  })

  test('side by side is remembered, and a narrow screen shows the diff unified', async () => {
    const tab = await signedInTab(demo)
    const address = screen(demo, `runs/${runOf('DATA-7').key}?tab=changes`)
    const after = tab.getByRole('columnheader', { name: 'Code after', includeHidden: true }).first()
    await tab.goto(address)
    await tab.getByRole('button', { name: 'Side by side' }).click()
    await after.waitFor({ state: 'attached' })
    await tab.reload()
    await after.waitFor({ state: 'attached' })
    await tab.setViewportSize({ width: 360, height: 780 })
    await after.waitFor({ state: 'detached' })
    await tab.getByRole('row', { name: /Removed expect\(JSON\.stringify\(proof\)\)/ }).waitFor()
    await tab.context().close()
  })

  test('n and p go from file to file', async () => {
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, `runs/${runOf('DATA-7').key}?tab=changes`))
    await headOf(tab, 'docs/erasure.md').waitFor()
    const isAt = (path: string) =>
      until(`${path} has the focus`, () =>
        headOf(tab, path).evaluate((element) => element === element.ownerDocument.activeElement),
      )
    await pressFirst(tab, 'n')
    await isAt('.kanman/acceptance/data-7/proof.spec.ts')
    await tab.keyboard.press('n')
    await tab.keyboard.press('n')
    await isAt('jobs/erasure/erase.ts')
    await tab.keyboard.press('p')
    await isAt('docs/erasure.md')
    await tab.context().close()
  })

  test('a merge approval and a diff guard show the change above the answer', async () => {
    const pending = await demo.all<Decision>('/v1/decisions?status=pending')
    const tab = await signedInTab(demo)
    for (const [kind, story, path] of [
      ['merge_approval', 'DATA-6', 'consumer/apply.ts'],
      ['diff_guard', 'DATA-7', '.kanman/acceptance/data-7/proof.spec.ts'],
    ] as const) {
      const decision = pending.find((one) => one.kind === kind && one.story?.key === story)!
      for (const address of [`decisions/${decision.key}`, `inbox?key=${decision.key}`]) {
        await tab.goto(screen(demo, address))
        const change = await file(tab, path).boundingBox()
        const answer = await tab.getByRole('radio').first().boundingBox()
        assert.ok(change!.y < answer!.y)
      }
    }
    await tab.getByText('The acceptance spec was changed:').waitFor()
    // n writes a note here, as everywhere that something is decided.
    await pressFirst(tab, 'f')
    await tab.locator('[aria-expanded="true"]:focus').waitFor()
    await tab.keyboard.press('n')
    await tab.getByLabel('Note (optional)').and(tab.locator(':focus')).waitFor()
    assertQuiet(tab, /401/)
    await tab.context().close()
  })

  test('comments on lines, by keyboard from hunk to hunk, are the guidance of “Request changes”', async () => {
    const pending = await demo.all<Decision>('/v1/decisions?status=pending')
    const decision = pending.find(({ kind, story }) => kind === 'merge_approval' && story?.key === 'DATA-6')!
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, `decisions/${decision.key}`))
    await tab.getByRole('row').first().waitFor()
    const hunk = tab.locator('tr[data-hunk]:focus')
    await pressUntil(tab, 'h', 'a hunk has the focus', () => hunk.isVisible())
    const first = await hunk.innerText()
    await tab.keyboard.press('h')
    assert.notEqual(await hunk.innerText(), first)
    await tab.keyboard.press('H')
    assert.equal(await hunk.innerText(), first)
    await tab.keyboard.press('ArrowDown')
    await tab.keyboard.press('c')
    const comment = tab.getByRole('textbox', { name: /^Comment on line \d+$/ })
    await comment.and(tab.locator(':focus')).waitFor()
    await tab.keyboard.type('Say which index this uses.')
    await tab.getByText('Sent with 1 comment on a line.').waitFor()
    assert.deepEqual(await accessibilityFaults(tab), [])
    await tab.reload()
    assert.equal(await comment.inputValue(), 'Say which index this uses.')

    // Looked at, not sent: others look at this demo, too.
    const sent = Promise.withResolvers<string>()
    await tab.route(/decisions\.resolve/, (route) => {
      sent.resolve(route.request().postDataJSON().note)
      return route.abort()
    })
    await tab.getByRole('radio', { name: /^Request changes/ }).check()
    await tab.getByRole('button', { name: /^Request changes/ }).click()
    assert.match(await sent.promise, /^\S+, line \d+:\n> .+\nSay which index this uses\.$/)
    await tab.context().close()
  })

  test('a run without a stored diff says so, and names its files; a merge is only asked for with one', async () => {
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, `runs/${runOf('WEB-3').key}?tab=changes`))
    await tab.getByText('This run has no stored diff').waitFor()
    await tab.getByText('src/lockers/address.ts', { exact: true }).waitFor()
    const decision = (await demo.all<Decision>('/v1/decisions?status=pending')).find(
      ({ kind, story }) => kind === 'merge_approval' && story?.key === 'LOCK-10',
    )!
    await follow(tab, screen(demo, `decisions/${decision.key}`))
    await tab.getByText('scripted line 1 of src/update/delta.c').first().waitFor()
    assert.equal(await tab.getByText('This run has no stored diff').count(), 0)
    // Two agents raced on it: both are shown, on a phone too, each with its figures and its diff.
    await tab.setViewportSize({ width: 360, height: 740 })
    const race = tab.getByRole('region', { name: 'Race' })
    await race.getByText('Proposed: fewer lines').waitFor()
    assert.match(await race.innerText(), /Codex.*in 13 files.*Claude Code.*Proposed.*in 11 files/s)
    assert.ok(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    await tab.getByRole('group', { name: 'Whose changes' }).getByRole('button', { name: 'Codex' }).click()
    // Lines of a file are there once it is in sight.
    await tab.getByRole('article', { name: 'src/update/blocks.c' }).scrollIntoViewIfNeeded()
    await tab.getByText('scripted line 1 of src/update/blocks.c').first().waitFor()
    await tab.goto(screen(demo, `runs/${runOf('LOCK-10').key}`))
    await tab.getByRole('region', { name: 'Race' }).getByText('Proposed: fewer lines').waitFor()
    assertQuiet(tab, /401/)
    await tab.context().close()
  })

  test('of 20,000 changed lines only some are on the page, and hidden characters are named', async () => {
    const tab = await signedInTab(demo)
    const added = (lines: number, name: string): Diff['files'][number] => ({
      path: name,
      oldPath: null,
      status: 'added',
      mode: null,
      additions: lines,
      deletions: 0,
      isBinary: false,
      isLarge: lines > 500,
      hunks: [
        `@@ -0,0 +1,${lines} @@`,
        ...Array.from({ length: lines }, (_, n) => `+const line${n} = "\u202e${n}"`),
      ].join('\n'),
    })
    const files = [
      added(10_000, 'a-large.ts'),
      ...Array.from({ length: 100 }, (_, n) => added(100, `b${n}.ts`)),
    ]
    const diff: Diff = { files, moreFiles: 3, additions: 20_000, deletions: 0, findings: [] }
    await tab.route(/runs\.diff/, (route) => route.fulfill({ json: { diff } }))
    await tab.goto(screen(demo, `runs/${runOf('DATA-7').key}?tab=changes`))
    await tab.getByRole('button', { name: 'Show file' }).click()
    const lines = tab.getByRole('region', { name: 'Lines of a-large.ts' })
    await lines.getByText('U+202E').first().waitFor()
    await lines.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await lines.getByRole('row', { name: /^10000 / }).waitFor()
    assert.ok((await tab.locator('tr').count()) < 3_000)
    await tab.getByText('3 files more can’t be shown here.').waitFor()
    assertQuiet(tab, /401/)
    await tab.context().close()
  })
})

const pressFirst = (tab: Tab, key: string) =>
  pressUntil(
    tab,
    key,
    `${key} leads to a file`,
    async () => (await tab.evaluate("document.activeElement.matches('[aria-expanded]')")) as boolean,
  )
