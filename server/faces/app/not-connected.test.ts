import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RequirementPage } from '@signalbox/contract/app/requirements.ts'
import type { BoardColumn, StoryPage } from '@signalbox/contract/app/stories.ts'
import { json } from '../../test/answers.ts'
import { testApp } from '../../test/app.ts'
import { aMember, aPolicy, aTeam, aWorkspace } from '../../test/factories.ts'
import { signedIn } from '../../test/signed-in.ts'

let app: Awaited<ReturnType<typeof testApp>>
before(async () => {
  app = await testApp()
})
after(() => app.stop())

const text = `# Export the invoices of a month
As an accountant, I want to export the invoices of a month so that I can import them into the books elsewhere.
- [ ] The file has one row for each invoice of the month.
- [ ] Invoices of other months are not in the file.`

test('where nothing is connected, a requirement still becomes a story in Ready, which says why it stays there', async () => {
  const workspace = await aWorkspace(app.storage.db)
  const team = await aTeam(workspace)
  const person = await aMember(workspace, 'admin')
  const admin = await signedIn(app, { ...person, slug: workspace.slug })
  const { slug } = await json<{ slug: string }>(admin.write('requirements.submit', { team: team.slug, text }))
  const page = () => json<RequirementPage>(admin.read('requirements.read', { slug }))
  const { drafts, hasTracker } = await page()
  assert.equal(hasTracker, false)
  const { key, updatedAt: readAt } = drafts[0]!
  const demonstrate = 'Export March and count the rows of the file.'
  await json(admin.write('stories.edit', { key, readAt, size: 's', demonstrate }))
  await json(admin.write('requirements.approveDraft', { key }))
  assert.deepEqual(await json(admin.write('requirements.write', { slug })), { keys: [key] })
  assert.deepEqual(
    (await page()).drafts.map(({ state, tracker, failure }) => [state, tracker, failure]),
    [['written', null, null]],
  )

  const heldBy = async () => {
    const board = await json<BoardColumn[]>(admin.read('stories.board', { team: team.slug }))
    const card = board.find(({ role }) => role === 'ready')!.stories[0]
    const story = await json<StoryPage>(admin.read('stories.read', { key }))
    assert.deepEqual(card?.heldBy, story.heldBy)
    return story.heldBy.map(({ by }) => by)
  }
  assert.deepEqual(await heldBy(), ['policy'])
  await aPolicy(person, team, 'supervised', { executor: 'codex' })
  assert.deepEqual(await heldBy(), ['repository'])
  await json(admin.write('teams.pause', { team: team.slug }))
  assert.deepEqual(await heldBy(), ['pause', 'repository'])
})
