import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { rawKey } from '../../contract/dsse.ts'
import type { Run } from '../../contract/run.ts'
import { hashOfToken, signEnrolment } from '../../contract/runner/enrolment.ts'
import type { Story, StoryListed } from '../../contract/story.ts'
import type { Team } from '../../contract/team.ts'
import { calm, type Demo, startDemo } from '../demo.ts'
import {
  accessibilityFaults,
  assertQuiet,
  follow,
  screen,
  signedInTab,
  type Tab,
  withoutBrowser,
} from './browser.ts'

const box = {
  ...{ backend: 'bubblewrap', version: '0.8.0', environmentCleared: true, descendantsReaped: true },
  ...{
    writesOutsideBlocked: true,
    deniedPathsBlocked: true,
    secretsUnreadable: true,
    networkOnlyToGateway: true,
  },
}

/** A Ready story that its team would start on, had it a slot free. */
async function aWaitingStory(demo: Demo): Promise<StoryListed> {
  const { data: teams } = await demo.get<{ data: Team[] }>('/v1/teams')
  for (const { slug, paused, policy } of teams) {
    if (paused || !policy) continue
    const stories = await demo.all<StoryListed>(`/v1/teams/${slug}/stories`)
    const found = stories.find(
      ({ column, readinessScore }) => column.role === 'ready' && readinessScore === 100,
    )
    if (found) return found
  }
  return assert.fail('no story waits for a slot')
}

/** Who does the work: a runner, or a person on their own machine. */
describe('those who work, in the app', { skip: withoutBrowser, concurrency: 1 }, () => {
  let demo: Demo
  before(async () => {
    demo = await startDemo({ env: calm })
  })

  describe('runners', { concurrency: 1 }, () => {
    let tab: Tab
    before(async () => {
      tab = await signedInTab(demo)
      await tab.goto(screen(demo, 'settings/runners'))
    })

    const call = (path: string, message: object, token: string = demo.started.tokens.readOnly) =>
      fetch(`${demo.started.url}/runner/v1/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(message),
      })

    const register = async (name: string, isolation: object, codex: object = {}) => {
      const { privateKey } = generateKeyPairSync('ed25519')
      const [instance, boot, evidenceKey] = [randomUUID(), randomUUID(), rawKey(privateKey)]
      const challenged = await call('challenge', { instance, boot })
      const { challenge } = (await challenged.json()) as { challenge: string }
      const tokenHash = hashOfToken(demo.started.tokens.readOnly)
      const said = { challenge, instance, boot, evidenceKey, tokenHash }
      return call('register', {
        ...{
          instance,
          boot,
          name,
          version: '1.0.0',
          features: [],
          os: 'linux',
        },
        ...{ protocol: { least: 1, most: 1 }, arch: 'arm64', slots: 2, labels: ['gpu'], holds: [] },
        executors: [
          { name: 'claude_code', via: 'native', version: '2.1.325' },
          { name: 'codex', via: 'native', version: '0.166.0', ...codex },
        ],
        ...{ isolation, evidenceKey },
        proof: { challenge, signature: signEnrolment(said, privateKey) },
      })
    }

    test('without one, the page says what to type on which machine', async () => {
      await tab.getByText('No runners yet').waitFor()
      await tab.getByRole('button', { name: 'Add runner' }).click()
      const dialog = tab.getByRole('dialog', { name: 'Add runner' })
      await dialog.getByText('Install Node 24 or later').waitFor()
      assert.deepEqual(await accessibilityFaults(tab), [])
      await dialog.getByRole('button', { name: 'Create runner token' }).click()
      const command = await dialog
        .getByText(/SERVICE_API_KEY=tk_\w{32} node signalbox-runner\.mjs/)
        .textContent()
      assert.match(command!, /^node [\s\S]+' http\S+\/runner\/([0-9a-f]{64})\/signalbox-runner\.mjs \1 &&\n/)
      assert.ok(command!.includes(`--url ${demo.started.url}`))
      const token = /tk_\w{32}/.exec(command!)![0]
      await dialog.getByText('Waiting for the runner to connect').waitFor()
      const asked = { instance: randomUUID(), boot: randomUUID() }
      assert.equal((await call('challenge', asked, token)).status, 200, 'it opens the door for a runner')
      await tab.keyboard.press('Escape')
    })

    test('one that connects appears on its own, with the agents it found and what it can keep closed', async () => {
      assert.equal((await register('build-eu-1', box)).status, 200)
      const laptop = await register(
        'laptop',
        { ...box, networkOnlyToGateway: false },
        { access: 'subscription' },
      )
      assert.equal(laptop.status, 200)
      const first = tab.getByRole('listitem').filter({ hasText: 'build-eu-1' })
      await first.getByText('Online').waitFor()
      await first.getByText('Claude Code 2.1.325, Codex 0.166.0').waitFor()
      await first.getByText('Closed box').waitFor()
      await first.getByText('bubblewrap 0.8.0').waitFor()
      await tab.getByText('Network closed: no').waitFor()
      await tab.getByText('Claude Code 2.1.325, Codex 0.166.0 (subscription, not metered)').waitFor()
      if (process.env.SCREENS)
        await tab.screenshot({ path: `${process.env.SCREENS}/runners.png`, fullPage: true })
      assert.deepEqual(await accessibilityFaults(tab), [])
    })

    test('it can be pinned to a team, and a new one waits for approval once that is asked for', async () => {
      const first = tab.getByRole('listitem').filter({ hasText: 'build-eu-1' })
      await first.getByText('Any team').waitFor()
      await first.getByRole('button', { name: 'Teams' }).click()
      const dialog = tab.getByRole('dialog', { name: 'Teams of build-eu-1' })
      await dialog.getByLabel('Checkout Web').check()
      assert.deepEqual(await accessibilityFaults(tab), [])
      await dialog.getByRole('button', { name: 'Save' }).click()
      await first.getByText('Checkout Web', { exact: true }).waitFor()
      await tab.getByRole('switch', { name: 'New runners need an admin’s approval' }).click()
      await tab.getByText('gets no work until an owner or admin approves it here').waitFor()
      assert.match(await (await register('stranger', box)).text(), /is waiting for approval/)
      const stranger = tab.getByRole('listitem').filter({ hasText: 'stranger' })
      await stranger.getByText('Waiting for approval', { exact: true }).waitFor()
      if (process.env.SCREENS)
        await tab.screenshot({ path: `${process.env.SCREENS}/runners-pending.png`, fullPage: true })
      assert.deepEqual(await accessibilityFaults(tab), [])
      await stranger.getByRole('button', { name: 'Approve' }).click()
      await stranger.getByText('Online').waitFor()
      assertQuiet(tab)
    })

    test('it can be paused, resumed and removed', async () => {
      const first = tab.getByRole('listitem').filter({ hasText: 'build-eu-1' })
      await first.getByRole('button', { name: 'Pause' }).click()
      await first.getByText('Paused').waitFor()
      await first.getByRole('button', { name: 'Resume' }).click()
      await first.getByText('Online').waitFor()
      await first.getByRole('button', { name: 'Remove' }).click()
      await tab.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await first.waitFor({ state: 'detached' })
      assertQuiet(tab)
    })
  })

  test('a person works on a story themselves: the board and the run say who, and it can be given back', async () => {
    const tab = await signedInTab(demo, 'member')
    const { key, team } = await aWaitingStory(demo)
    await tab.goto(screen(demo, `stories/${key}`))
    await tab.getByRole('button', { name: 'Work on it yourself' }).click()
    await tab.getByText(`${key} is yours`).first().waitFor()
    const { runKeys } = await demo.get<Story>(`/v1/stories/${key}`)
    const { status, stage, costCents } = await demo.get<Run>(`/v1/runs/${runKeys[0]}`)
    assert.deepEqual([status, stage, costCents], ['running', 'implementing', 0])

    await follow(tab, screen(demo, `teams/${team}/board`))
    await tab.locator(`[data-card="${key}"]`).getByText('Amara Okafor').waitFor()
    await follow(tab, screen(demo, `runs/${runKeys[0]}`))
    const local = tab.getByRole('region', { name: 'Local work' })
    await local.getByText('has been working on it locally since').waitFor()
    await tab.getByText('Unknown', { exact: true }).waitFor()
    await tab.getByRole('button', { name: 'Give back' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Give back' }).click()
    await tab.getByText('Stopped').first().waitFor()
    await follow(tab, screen(demo, `stories/${key}`))
    await tab.getByText('Given back by Amara Okafor').first().waitFor()
    assert.equal((await demo.get<Story>(`/v1/stories/${key}`)).column.role, 'ready')
    assertQuiet(tab)
  })

  test('the demo has a story that a person’s own agent works on, and stories with a test plan', async () => {
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, 'teams/checkout-web/board'))
    await tab.locator('[data-card="WEB-38"]').getByText('Leila Haddad').waitFor()
    const { runKeys } = await demo.get<Story>('/v1/stories/WEB-38')
    await follow(tab, screen(demo, `runs/${runKeys[0]}`))
    const local = tab.getByRole('region', { name: 'Local work' })
    await local.getByText('Claude Code (demo data)').first().waitFor()
    await local.getByText('Holidays are missing').waitFor()
    await follow(tab, screen(demo, 'stories/WEB-38'))
    await tab.getByText('opening hours on a weekday, on a Saturday and on a holiday').first().waitFor()
    assertQuiet(tab)
  })
})
