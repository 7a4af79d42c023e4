import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Run } from '../../contract/run.ts'
import type { Story, StoryListed } from '../../contract/story.ts'
import type { Team } from '../../contract/team.ts'
import { calm, type Demo, startDemo } from '../demo.ts'
import { assertQuiet, screen, signedInTab, withoutBrowser } from './browser.ts'

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

/** Work that a person does on their own machine. */
describe('local work in the app', { skip: withoutBrowser }, () => {
  let demo: Demo
  before(async () => {
    demo = await startDemo({ env: calm })
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

    await tab.goto(screen(demo, `teams/${team}/board`))
    await tab.locator(`[data-card="${key}"]`).getByText('Amara Okafor').waitFor()
    await tab.goto(screen(demo, `runs/${runKeys[0]}`))
    const local = tab.getByRole('region', { name: 'Local work' })
    await local.getByText('has been working on it locally since').waitFor()
    await tab.getByText('Unknown', { exact: true }).waitFor()
    await tab.getByRole('button', { name: 'Give back' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Give back' }).click()
    await tab.getByText('Stopped').first().waitFor()
    await tab.goto(screen(demo, `stories/${key}`))
    await tab.getByText('Given back by Amara Okafor').first().waitFor()
    assert.equal((await demo.get<Story>(`/v1/stories/${key}`)).column.role, 'ready')
    assertQuiet(tab)
  })

  test('the demo has a story that a person’s own agent works on, and stories with a test plan', async () => {
    const tab = await signedInTab(demo)
    await tab.goto(screen(demo, 'teams/checkout-web/board'))
    await tab.locator('[data-card="WEB-38"]').getByText('Leila Haddad').waitFor()
    const { runKeys } = await demo.get<Story>('/v1/stories/WEB-38')
    await tab.goto(screen(demo, `runs/${runKeys[0]}`))
    const local = tab.getByRole('region', { name: 'Local work' })
    await local.getByText('Claude Code (demo data)').first().waitFor()
    await local.getByText('Holidays are missing').waitFor()
    await tab.goto(screen(demo, 'stories/WEB-38'))
    await tab.getByText('opening hours on a weekday, on a Saturday and on a holiday').first().waitFor()
    assertQuiet(tab)
  })
})
