import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { aSplitter, proposed } from '../../../test/requirements.ts'
import { type Split, SplitFailed, type Splitter } from '../../ports/splitter.ts'
import { listAudit } from '../../record/audit/list.ts'
import { readStory } from '../stories/read.ts'
import { answerQuestions } from './answer-questions.ts'
import { readRequirement } from './read.ts'
import { submitRequirement } from './submit.ts'

const database = await testDatabase()
after(() => database.close())

const drafted: Split = { drafts: [proposed()], notes: ['Sizes were not estimated.'] }

async function aVagueRequirement(questions = ['Who?', 'Where?']) {
  const workspace = await aWorkspace(database.db)
  const team = await aTeam(workspace)
  const member = await aMember(workspace, 'member')
  const input = { team: team.slug, text: 'Make it better.' }
  const { slug } = fromJson(await submitRequirement(member, aSplitter({ questions }), input))
  const events = async () =>
    (await listAudit(workspace, {}, { limit: 20, after: null })).data.map(fromJson).map(({ event }) => event)
  return { workspace, team, member, slug, events }
}

const both = [
  { id: 'q-1', answer: 'Drivers.' },
  { id: 'q-2', answer: 'On the route page.' },
]

test('with all answers the splitter is asked again, with the answers, and drafts', async () => {
  const { workspace, member, slug } = await aVagueRequirement()
  const splitter = aSplitter(drafted)
  const requirement = fromJson(await answerQuestions(member, splitter, slug, both))
  assert.deepEqual(splitter.asked[0]?.[0], {
    text: 'Make it better.',
    answers: [
      { question: 'Who?', answer: 'Drivers.' },
      { question: 'Where?', answer: 'On the route page.' },
    ],
  })
  assert.equal(requirement.status, 'drafted')
  assert.deepEqual(requirement.notes, ['Sizes were not estimated.'])
  assert.equal(fromJson(await readStory(member, requirement.drafts[0]!)).title, proposed().title)

  const [draft, answered] = (await listAudit(workspace, {}, { limit: 2, after: null })).data.map(fromJson)
  assert.equal(answered?.event, 'requirement_answered')
  assert.equal(answered?.actor.userId, member.personId)
  assert.deepEqual(answered?.entity, { type: 'requirement', id: slug, name: null })
  assert.deepEqual(answered?.details.changes, [
    { field: 'q-1', before: null, after: 'Drivers.' },
    { field: 'q-2', before: null, after: 'On the route page.' },
  ])
  assert.deepEqual([draft?.event, draft?.entity.type], ['story_changed', 'draft'])
})

test('answers can be given one by one; no one drafts before the last', async () => {
  const { member, slug } = await aVagueRequirement()
  const splitter = aSplitter(drafted)
  const half = fromJson(await answerQuestions(member, splitter, slug, [both[1]!]))
  assert.equal(half.status, 'clarifying')
  assert.deepEqual(
    half.questions.map(({ answer }) => answer),
    [null, 'On the route page.'],
  )
  assert.equal(splitter.asked.length, 0)
  assert.equal(fromJson(await answerQuestions(member, splitter, slug, [both[0]!])).status, 'drafted')
})

test('no one is asked a second time: further questions become notes, and the requirement becomes a draft', async () => {
  const { member, slug } = await aVagueRequirement()
  const requirement = fromJson(await answerQuestions(member, aSplitter({ questions: ['Why?'] }), slug, both))
  assert.equal(requirement.status, 'drafted')
  assert.equal(requirement.questions.length, 2)
  assert.deepEqual(requirement.notes, ['Still open: Why?'])
  const { title, description } = fromJson(await readStory(member, requirement.drafts[0]!))
  assert.equal(title, 'Make it better.')
  assert.match(description, /Make it better\.\n\nWho\?\nDrivers\.\n\nWhere\?\nOn the route page\./)
})

test('a question that was not asked, one answered twice, an empty answer and none at all are refused', async () => {
  const { member, slug } = await aVagueRequirement()
  const answer = (...answers: { id: string; answer: string }[]) =>
    answerQuestions(member, aSplitter(), slug, answers)
  await assert.rejects(answer({ id: 'q-3', answer: 'x' }), {
    code: 'invalid_request',
    message: /no question `q-3`; its questions are q-1, q-2/,
  })
  await assert.rejects(answer(both[0]!, both[0]!), { code: 'invalid_request', message: /twice/ })
  await assert.rejects(answer({ id: 'q-1', answer: '  ' }), {
    code: 'invalid_request',
    message: /q-1 is empty/,
  })
  await assert.rejects(answer(), { code: 'invalid_request', message: /answers is empty/ })
  await assert.rejects(answerQuestions(member, aSplitter(), 'no-such-thing', both), {
    code: 'requirement_not_found',
  })
  const { questions } = fromJson(await readRequirement(member, slug))
  assert.ok(questions.every(({ answer }) => answer === null))
})

test('once drafted, there is nothing to answer', async () => {
  const { member, slug } = await aVagueRequirement()
  await answerQuestions(member, aSplitter(drafted), slug, both)
  await assert.rejects(answerQuestions(member, aSplitter(drafted), slug, both), {
    code: 'conflict',
    message: /is drafted.*Edit its drafts/,
  })
})

test('when drafting fails the answers are kept, and answering again drafts', async () => {
  const { member, slug, events } = await aVagueRequirement()
  const broken: Splitter = {
    name: 'broken',
    split: () => Promise.reject(new SplitFailed('The language model is away.')),
  }
  await assert.rejects(answerQuestions(member, broken, slug, both), { code: 'service_unavailable' })
  const kept = fromJson(await readRequirement(member, slug))
  assert.equal(kept.status, 'clarifying')
  assert.ok(kept.questions.every(({ answer }) => answer !== null))
  assert.equal(fromJson(await answerQuestions(member, aSplitter(drafted), slug, [])).status, 'drafted')
  assert.deepEqual(
    (await events()).filter((event) => event.startsWith('requirement_')),
    ['requirement_answered', 'requirement_submitted'],
  )
})

test('of two who give the last answers at once both are heard, and the stories are drafted once', async () => {
  for (const answers of [
    [[both[0]!], [both[1]!]],
    [both, both],
  ]) {
    const { member, slug } = await aVagueRequirement()
    await Promise.all(
      answers.map((some) => answerQuestions(member, aSplitter(drafted), slug, some).catch(refused)),
    )
    const requirement = fromJson(await readRequirement(member, slug))
    assert.equal(requirement.status, 'drafted')
    assert.equal(requirement.drafts.length, 1)
    assert.deepEqual(
      requirement.questions.map(({ answer }) => answer),
      ['Drivers.', 'On the route page.'],
    )
  }
})

/** The last one to answer may find that everything is settled. */
const refused = (error: { code?: string }) => assert.equal(error.code, 'conflict')
