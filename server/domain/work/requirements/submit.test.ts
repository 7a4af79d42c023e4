import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Requirement } from '@signalbox/contract/requirement.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { Value } from 'typebox/value'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { aSplitter, proposed } from '../../../test/requirements.ts'
import { listAudit } from '../../record/audit/list.ts'
import { listStories } from '../stories/list.ts'
import { readStory } from '../stories/read.ts'
import { listRequirementRows } from './list-rows.ts'
import { readRequirement } from './read.ts'
import { newSlug } from './slug.ts'
import { rules } from './splitting/rules.ts'
import { submitRequirement } from './submit.ts'

const database = await testDatabase()
after(() => database.close())

async function aMemberWithATeam() {
  const workspace = await aWorkspace(database.db)
  const team = await aTeam(workspace)
  return { workspace, team, member: await aMember(workspace, 'member') }
}

test('a clear requirement becomes drafts, each with its readiness, that the team’s list shows only when asked', async () => {
  const { member, team } = await aMemberWithATeam()
  const drafts = [proposed(), proposed({ title: 'Tell the driver', demonstrate: null, size: null })]
  const splitter = aSplitter({ drafts, notes: ['Nothing was estimated.'] })
  const requirement = fromJson(
    await submitRequirement(member, splitter, {
      team: team.slug,
      text: '  Show the Delivery window – bitte! ',
    }),
  )
  assert.match(requirement.slug, /^show-the-delivery-window-bitte-[a-z0-9]{5}$/)
  assert.deepEqual(
    { ...requirement, slug: '', createdAt: '' },
    {
      slug: '',
      team: team.slug,
      text: 'Show the Delivery window – bitte!',
      status: 'drafted',
      questions: [],
      notes: ['Nothing was estimated.'],
      drafts: [`${team.keyPrefix}-1`, `${team.keyPrefix}-2`],
      createdAt: '',
    },
  )
  assert.deepEqual(splitter.asked[0]?.[0], { text: requirement.text, answers: [] })
  const stories = await Promise.all(
    requirement.drafts.map(async (key) => fromJson(await readStory(member, key))),
  )
  assert.deepEqual(
    stories.map(({ title, draft, readinessScore, column }) => [title, draft, readinessScore, column.role]),
    [
      ['Show the delivery window', true, 100, 'refining'],
      ['Tell the driver', true, 65, 'refining'],
    ],
  )
  const listed = async (withDrafts: boolean) =>
    (await listStories(member, { team: team.slug, drafts: withDrafts }, { limit: 10, after: null })).data
      .length
  assert.deepEqual([await listed(false), await listed(true)], [0, 2])
})

test('a vague one becomes questions, at most three, and no draft', async () => {
  const { member, team } = await aMemberWithATeam()
  const splitter = aSplitter({ questions: ['Who?', 'Where?', 'When?', 'Why?', 'Really?'] })
  const requirement = fromJson(
    await submitRequirement(member, splitter, { team: team.slug, text: 'Better.' }),
  )
  assert.equal(requirement.status, 'clarifying')
  assert.deepEqual(requirement.questions, [
    { id: 'q-1', text: 'Who?', answer: null },
    { id: 'q-2', text: 'Where?', answer: null },
    { id: 'q-3', text: 'When?', answer: null },
  ])
  assert.deepEqual(requirement.drafts, [])
})

test('a splitter that neither asks nor drafts loses nothing: the requirement itself is the draft', async () => {
  const { member, team } = await aMemberWithATeam()
  for (const split of [{ questions: [] }, { drafts: [], notes: [] }]) {
    const text = `Print\nlabels ${'for all parcels '.repeat(20)}`.trim()
    const { drafts } = fromJson(await submitRequirement(member, aSplitter(split), { team: team.slug, text }))
    const story = fromJson(await readStory(member, drafts[0]!))
    assert.match(story.title, /^Print labels for all/)
    assert.equal(story.description, text)
  }
})

test('the entries say who submitted it and what was drafted', async () => {
  const { workspace, member, team } = await aMemberWithATeam()
  const splitter = aSplitter({ drafts: [proposed()], notes: [] })
  const { slug, drafts } = fromJson(
    await submitRequirement(member, splitter, { team: team.slug, text: 'Window' }),
  )
  const [drafted, submitted] = (await listAudit(workspace, {}, { limit: 2, after: null })).data.map(fromJson)
  assert.deepEqual([drafted?.actor.userId, submitted?.actor.userId], [member.personId, member.personId])
  assert.equal(submitted?.event, 'requirement_submitted')
  assert.equal(submitted?.team, team.slug)
  assert.deepEqual(submitted?.entity, { type: 'requirement', id: slug, name: null })
  assert.deepEqual(submitted?.details, { channel: 'app', questions: [], drafts, splitter: 'scripted' })
  assert.equal(drafted?.event, 'story_changed')
  assert.deepEqual(drafted?.entity, { type: 'draft', id: drafts[0], name: 'Show the delivery window' })
  assert.equal(drafted?.details.requirement, slug)
})

test('text that is missing or too long, and a team that is not there, are refused before anybody is asked', async () => {
  const { member, team } = await aMemberWithATeam()
  const splitter = aSplitter()
  const submit = (text: string, slug = team.slug) => submitRequirement(member, splitter, { team: slug, text })
  await assert.rejects(submit(' \n '), { code: 'invalid_request', message: /text is empty/ })
  await assert.rejects(submit('x'.repeat(20_001)), { code: 'invalid_request', message: /longer than 20,000/ })
  await assert.rejects(submit('Window', 'no-such-team'), { code: 'team_not_found' })
  assert.equal(splitter.asked.length, 0)
})

test('what fails to be split is not kept', async () => {
  const { member, team } = await aMemberWithATeam()
  await assert.rejects(submitRequirement(member, aSplitter(), { team: team.slug, text: 'Window' }))
  const { data } = await listRequirementRows(member, { team: team.slug }, { limit: 10, after: null })
  assert.deepEqual(data, [])
})

test('requirements are listed newest first, in pages, in the shape of the contract; those of others are not there', async () => {
  const { member, team } = await aMemberWithATeam()
  const texts = ['First of all', 'Second', '三番目 — 🚚']
  const slugs: string[] = []
  for (const text of texts) {
    const splitter = aSplitter({ questions: ['Why?'] })
    slugs.unshift(fromJson(await submitRequirement(member, splitter, { team: team.slug, text })).slug)
  }
  assert.match(slugs[0]!, /^requirement-[a-z0-9]{5}$/)
  const first = await listRequirementRows(member, { team: team.slug }, { limit: 2, after: null })
  const second = await listRequirementRows(member, { team: team.slug }, { limit: 2, after: first.next })
  const all = [...first.data, ...second.data].map(fromJson)
  assert.deepEqual(
    all.map(({ slug }) => slug),
    slugs,
  )
  assert.equal(second.next, null)
  for (const { slug } of all)
    assert.ok(Value.Check(Requirement, fromJson(await readRequirement(member, slug))))

  const stranger = await aWorkspace(database.db)
  await assert.rejects(readRequirement(stranger, slugs[0]!), { code: 'requirement_not_found' })
  await assert.rejects(listRequirementRows(stranger, { team: team.slug }, { limit: 2, after: null }), {
    code: 'team_not_found',
  })
})

test('what the rules draft can be filed', async () => {
  const { member, team } = await aMemberWithATeam()
  const text = `
# Export the invoices
As an accountant, I want to export the invoices of a month so that I can import them elsewhere.
- [ ] The file has one row for each invoice.

# Delete an invoice
Owners can delete an invoice that was never sent.`
  const { drafts, status } = fromJson(await submitRequirement(member, rules, { team: team.slug, text }))
  assert.equal(status, 'drafted')
  const titles = await Promise.all(drafts.map(async (key) => fromJson(await readStory(member, key)).title))
  assert.deepEqual(titles, ['Export the invoices', 'Delete an invoice'])
})

test('a slug has a few words of the text and is never longer than slugs may be', () => {
  assert.match(newSlug('Überall Café-Rechnungen, bitte!'), /^uberall-cafe-rechnungen-bitte-[a-z0-9]{5}$/)
  assert.match(newSlug('x'.repeat(500)), /^x{48}-[a-z0-9]{5}$/)
  assert.match(newSlug(`${'y'.repeat(47)} z`), /^y{47}-[a-z0-9]{5}$/)
})
