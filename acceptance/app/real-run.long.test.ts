import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { before, describe, test } from 'node:test'
import type { Decision } from '../../contract/decision.ts'
import type { Run, RunListed } from '../../contract/run.ts'
import type { Story, StoryListed } from '../../contract/story.ts'
import { calm, type Demo, signalbox, startDemo, until } from '../demo.ts'
import {
  assertQuiet,
  follow,
  keepPicture,
  pressUntil,
  screen,
  signedInTab,
  type Tab,
  withoutBrowser,
} from './browser.ts'

/** Kept where SCREENS says, by `npm run screens`. */
const picture = async (tab: Tab, name: string) =>
  process.env.SCREENS && keepPicture(tab, path.join(process.env.SCREENS, `${name}.webp`))

/**
 * The one run of the demo that is real: a runner beside the server, a repository on this machine, an agent that follows
 * a script. It goes from Ready to merged, and what it did can be proven.
 */
describe('a real run on a real repository', { concurrency: 1 }, () => {
  let demo: Demo
  let key: string
  before(async () => {
    demo = await startDemo({ env: calm, runner: true })
  })

  const readRun = () => demo.get<Run>(`/v1/runs/${key}`)
  const git = (...args: string[]) =>
    execFileSync('git', ['--git-dir', path.join(demo.data, 'git', 'label-tools.git'), ...args]).toString()

  async function asked(kind: Decision['kind']): Promise<string> {
    let found: string | undefined
    await until(`the run asks about ${kind}`, async () => {
      found = (await readRun()).decisions.find((one) => one.kind === kind && one.status === 'pending')?.key
      return found !== undefined
    })
    return found!
  }

  async function answer(decision: string, optionId: string): Promise<void> {
    const { status, text } = await demo.ask(`/v1/decisions/${decision}/resolve`, {
      method: 'POST',
      token: demo.tokens.owner,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ optionId }),
    })
    assert.equal(status, 200, text)
  }

  test('a Ready story is taken by the runner, which plans it and asks', async () => {
    await until('the story has a run', async () => {
      key = (await demo.get<Story>('/v1/stories/LBL-1')).runKeys[0] ?? ''
      return key !== ''
    })
    const decision = await demo.get<Decision>(`/v1/decisions/${await asked('plan_approval')}`)
    assert.match(decision.body, /src\/label\.js/)
    await answer(decision.key, 'approve')
  })

  test('its acceptance spec was red, the change is real, the gates ran, and it asks to merge', async () => {
    await asked('merge_approval')
    const { evidence, pullRequest } = await readRun()
    assert.deepEqual(
      evidence!.gates.map(({ name, result }) => `${name}: ${result}`),
      ['Acceptance spec: passed', 'unit tests: passed', 'syntax: passed'],
    )
    assert.deepEqual(
      evidence!.criteria.map(({ id, result, proof }) => `${id} ${result} ${/^✔ (ac-\d)/.exec(proof)?.[1]}`),
      ['ac-1 passed ac-1', 'ac-2 passed ac-2'],
    )
    assert.deepEqual(evidence!.changes.paths, ['src/label.js', 'test/label.test.js'])
    assert.match(evidence!.demonstration!, /2\.4 kg/)
    assert.equal(pullRequest!.number, 1)
    assert.equal(
      git('log', '--format=%s', `signalbox/${key}/1`).split('\n')[0],
      'LBL-1: Print the weight on the label',
    )
    assert.equal(git('log', '--format=%s', 'main').trim(), 'Labels as plain text')
  })

  test('approved, it is merged, the main branch is checked, and the story is done', async () => {
    await answer(await asked('merge_approval'), 'merge')
    await until('the run succeeds', async () => (await readRun()).status === 'succeeded')
    assert.match(git('log', '--format=%s', 'main'), /^Merge pull request #1: Print the weight on the label\n/)
    assert.match(git('show', 'main:src/label.js'), /toFixed\(1\)/)
    assert.match(git('show', 'main:.kanman/acceptance/LBL-1/weight.test.js'), /2\.4 kg/)
    assert.equal((await demo.get<Story>('/v1/stories/LBL-1')).column.role, 'done')
  })

  test('its evidence is downloaded in the app and verified offline; with one letter changed it is not', {
    skip: withoutBrowser,
  }, async () => {
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, `runs/${key}?tab=evidence`))
    const downloading = tab.waitForEvent('download')
    await tab.getByRole('button', { name: /Download.*evidence/ }).click()
    const file = path.join(demo.data, 'evidence.json')
    await (await downloading).saveAs(file)
    const unknown = await signalbox(demo.data, ['verify-evidence', file])
    assert.deepEqual([unknown.code, /signer unknown/.test(unknown.stdout)], [3, true], unknown.stdout)
    const { workspace } = demo.started
    const printed = await signalbox(demo.data, ['verify-audit', '--print-key', '--workspace', workspace])
    const trusted = ['--key', printed.stdout.trim()]
    const good = await signalbox(demo.data, ['verify-evidence', ...trusted, file])
    assert.equal(good.code, 0, good.stderr)
    assert.match(good.stdout, /^Verified: /)
    assert.match(good.stdout, /test results of 3 gates, and a SLSA verification summary: PASSED/)
    const command = tab.getByRole('region', { name: 'Check offline' }).locator('code')
    assert.ok((await command.textContent())!.includes(`verify-evidence --key '${printed.stdout.trim()}'`))
    const text = await readFile(file, 'utf8')
    const changed = path.join(demo.data, 'changed.json')
    await writeFile(
      changed,
      text.replace('2.4 kg', '9.9 kg').replace(/"payload\\":\\"./, (found) => `${found}x`),
    )
    assert.notEqual((await signalbox(demo.data, ['verify-evidence', ...trusted, changed])).code, 0)
    await tab.getByRole('row', { name: /Verification summary Passed/ }).waitFor()
    await tab.getByRole('row', { name: /Test result: Acceptance spec Passed 2 passed/ }).waitFor()
    await picture(tab, 'real-run-evidence')
    await tab.getByRole('row', { name: /Verification summary/ }).scrollIntoViewIfNeeded()
    await picture(tab, 'real-run-statements')
    await follow(tab, screen(demo, `runs/${key}?tab=changes`))
    await tab.getByText('toFixed').first().waitFor()
    await picture(tab, 'real-run-changes')
    await follow(tab, screen(demo, 'settings/runners'))
    await tab.getByText('Demo runner').first().waitFor()
    await picture(tab, 'real-run-runners')
    assertQuiet(tab)
  })

  test('each criterion leads to its test, its line of the log and the code, and each step to what it logged', {
    skip: withoutBrowser,
  }, async () => {
    const tab = await signedInTab(demo)
    const receipt = screen(demo, `runs/${key}?tab=evidence`)
    await tab.goto(receipt)
    await tab.getByRole('heading', { name: '2 of 2 criteria, 3 gates passed' }).waitFor()
    const criterion = tab.getByRole('listitem').filter({ hasText: 'A label without a weight' })
    await criterion.getByRole('link', { name: 'weight.test.js:11' }).click()
    await tab.locator('tr:focus').getByText('ac-2 a label without a weight').waitFor()
    await follow(tab, receipt)
    await criterion.getByRole('link', { name: 'src/label.js:1' }).click()
    await tab.locator('tr:focus').getByText('The lines of a label').waitFor()
    await follow(tab, receipt)
    await criterion.getByRole('link', { name: /^line \d+$/ }).click()
    const log = tab.getByRole('region', { name: 'Log lines' })
    const shown = log.locator('.bg-selected')
    await shown.getByText(/^✔ ac-2 a label without a weight/).waitFor()

    await tab.getByRole('button', { name: /^First of \d errors/ }).click()
    await shown.getByText(/^✖ ac-1/).waitFor()
    const stage = log.getByRole('button', { name: /^Attempt 1, implementing/ })
    await stage.click()
    await shown.first().waitFor({ state: 'detached' })
    assert.equal(await stage.getAttribute('aria-expanded'), 'false')
    // Whatever leads to a line unfolds what it is in.
    await pressUntil(tab, 'e', 'the next error is shown', () => shown.first().isVisible())

    await follow(tab, screen(demo, `runs/${key}`))
    const step = tab.getByRole('listitem').filter({ hasText: /^Writing the acceptance spec/ })
    await step.getByRole('link', { name: /^Lines \d+ to \d+$/ }).click()
    await shown.getByText('Writing the acceptance spec from the two criteria.').waitFor()
    assertQuiet(tab)
  })

  test('what failed is told in full on the first tab, folded on the others, and without the log beside the log', {
    skip: withoutBrowser,
  }, async () => {
    const tab = await signedInTab(demo)
    const runs = await demo.all<RunListed>('/v1/runs')
    await tab.goto(screen(demo, `runs/${runs.find(({ status }) => status === 'failed')!.key}`))
    const lines = tab.getByRole('region', { name: 'Last lines of the log' })
    await lines.waitFor()
    await tab.getByRole('link', { name: 'Logs' }).click()
    const card = tab.locator('summary').filter({ hasText: /^Failed/ })
    await card.click()
    await tab.getByRole('region', { name: 'Log lines' }).waitFor()
    assert.equal(await lines.count(), 0, 'the log is below')
    await tab.getByRole('link', { name: 'Cost' }).click()
    await card.click()
    await lines.waitFor()
    assertQuiet(tab)
  })

  test('a survey started in the app looks over the same repository, proposes stories and pushes nothing', {
    skip: withoutBrowser,
  }, async () => {
    const tip = git('rev-parse', 'main')
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, 'teams/label-tools/settings/policy'))
    await tab.getByRole('button', { name: 'Start survey' }).click()
    await tab.getByRole('row', { name: /Succeeded 2 proposals/ }).waitFor()
    const { data } = await demo.get<{ data: Decision[] }>('/v1/decisions?status=pending&team=label-tools')
    assert.deepEqual(data.map(({ kind }) => kind).toSorted(), ['maintenance_proposal', 'strategy_proposal'])
    assert.equal(git('rev-parse', 'main'), tip)
    await tab.getByRole('link', { name: /^Log of survey run-/ }).click()
    await tab.getByText('Succeeded').waitFor()
    await tab
      .getByRole('region', { name: 'Log lines' })
      .getByText('Reading src/label.js, its test and the strategy notes.')
      .waitFor()
    assertQuiet(tab)
  })

  test('an issue that is marked as ready on the page of a stand-in is taken up by its team', {
    skip: withoutBrowser,
  }, async () => {
    const { chat: _, ...tools } = demo.tools
    assert.deepEqual(Object.keys(tools), ['GitHub', 'GitLab', 'Jira', 'Linear'])
    const tab = await signedInTab(demo)
    const stories: string[] = []
    // Each of them begins a run; FAULTS=all (`npm run test:faults`) tries all four.
    const tried = Object.entries(tools).slice(0, process.env.FAULTS === 'all' ? 4 : 1)
    for (const [tool, url] of tried) {
      let story: StoryListed | undefined
      await until(`the issue at ${tool} is a story`, async () => {
        assert.doesNotMatch(demo.stderr, /are not connected/)
        const { status, text } = await demo.ask(`/v1/teams/labels-${tool.toLowerCase()}/stories`)
        const found: StoryListed[] = status === 200 ? JSON.parse(text).data : []
        story = found.find(({ title }) => title === 'Print the weight on the label')
        return story !== undefined
      })
      stories.push(story!.key)
      await tab.goto(url)
      await tab.getByText(`This is a stand-in for ${tool}`).waitFor()
      await tab
        .getByRole('row', { name: /Print the weight on the label/ })
        .getByRole('button')
        .click()
    }
    for (const story of stories)
      await until(`${story} is taken up`, async () => {
        const { runKeys } = await demo.get<Story>(`/v1/stories/${story}`)
        return runKeys.length > 0
      })
    assertQuiet(tab)
  })

  test('nothing of the runner is left when the demo ends', async () => {
    await demo.stop()
    const processes = execFileSync('ps', ['-eo', 'args']).toString()
    assert.ok(!processes.includes(path.join(demo.data, 'runner')))
  })
})
