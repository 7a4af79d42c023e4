import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/any-character.ts'
import { checkedStory } from '../../work/stories/checked.ts'
import { readinessOf } from '../../work/stories/readiness.ts'
import { findingOf } from './finding.ts'
import { fixStory, outsideStory } from './fix-story.ts'

const openedAt = new Date('2026-03-31T12:00:00.000Z')
const words = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: anyCharacter, maxLength: 2_000 }) },
  fc.constantFrom(
    'Boom',
    'TODO',
    '??',
    '????',
    'TBD: is it fast?',
    'Not good, better etc',
    '[ ] open question',
    '`` ` ``',
    '\n'.repeat(5_000),
  ),
)
const anIncident = fc.record({
  key: fc.constant('inc-a1b2'),
  title: words,
  service: fc.record({ name: fc.oneof(words, fc.constant('checkout')).filter((name) => name.trim() !== '') }),
})
const alerts = fc.array(
  fc.record({
    title: words,
    description: fc.option(words),
    labels: fc.constant({}),
    startedAt: fc.constant(null),
  }),
  { maxLength: 30 },
)

test('whatever an alert says, the story of its fix can be filed and is ready to be taken up', () => {
  fc.assert(
    fc.property(anIncident, alerts, (incident, said) => {
      const finding = findingOf({ alerts: said, merges: [], now: openedAt, openedAt })
      const { acceptanceCriteria, ...story } = checkedStory(fixStory(incident, finding, said))
      const readiness = readinessOf({
        ...story,
        acceptanceCriteria: acceptanceCriteria.map((text) => ({ text })),
      })
      assert.deepEqual(readiness, { score: 100, missing: [] })
      assert.equal(story.classOfService, 'expedite')
    }),
    { numRuns: 300 },
  )
})

test('a story about something outside the code can be filed and is never ready on its own', () => {
  fc.assert(
    fc.property(anIncident, alerts, (incident, said) => {
      const finding = findingOf({ alerts: said, merges: [], now: openedAt, openedAt })
      const story = checkedStory(outsideStory(incident, finding, said))
      assert.ok(readinessOf({ ...story, acceptanceCriteria: [] }).score < 100)
    }),
  )
})

test('what alerts say stands in a story line by line as a quotation', () => {
  const incident = { key: 'inc-a1b2', title: 'Checkout fails', service: { name: 'checkout' } }
  const said = [{ title: 'A\r# B', description: 'C\n- D\r\nE', labels: {}, startedAt: null }]
  const finding = findingOf({ alerts: said, merges: [], now: openedAt, openedAt })
  const { description, title, acceptanceCriteria } = fixStory(incident, finding, said)
  assert.ok(description.endsWith('> A\n> # B\n> C\n> - D\n> E'), description)
  assert.equal(title, 'Fix: Checkout fails')
  assert.deepEqual(acceptanceCriteria, [
    'The alert `Checkout fails` no longer fires under the conditions it reported',
    'A test fails without the fix and passes with it',
  ])
})
