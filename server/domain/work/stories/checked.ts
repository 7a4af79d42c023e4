import { maxCriteria, storyLengths } from '@signalbox/contract/limits.ts'
import { classesOfService, complexities, sizes } from '@signalbox/contract/story.ts'
import { DomainError } from '../../errors.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import { checkedText } from '../../text.ts'

type Check<Field extends keyof ProposedStory> = (value: ProposedStory[Field]) => ProposedStory[Field]

/** What each field of a story takes. */
const checks: { [Field in keyof ProposedStory]-?: Check<Field> } = {
  title: (value) => checkedText('title', value.replace(/\s+/g, ' '), { least: 1, most: storyLengths.title }),
  description: (value) => checkedText('description', value, { least: 0, most: storyLengths.description }),
  acceptanceCriteria(value) {
    if (value.length > maxCriteria) {
      throw new DomainError(
        'invalid_request',
        `acceptanceCriteria has ${value.length} entries; a story takes ${maxCriteria}. Split the story.`,
      )
    }
    return value.map((text, index) =>
      checkedText(`acceptanceCriteria ${index + 1}`, text, { least: 1, most: storyLengths.criterion }),
    )
  },
  demonstrate: (value) =>
    // An empty block is no block.
    (value && checkedText('demonstrate', value, { least: 0, most: storyLengths.demonstrate })) || null,
  testPlan: (value) =>
    (value && checkedText('testPlan', value, { least: 0, most: storyLengths.testPlan })) || null,
  size: (value) => (value === null ? null : one('size', value, sizes)),
  complexity: (value) => (value === null ? null : one('complexity', value, complexities)),
  classOfService: (value) => one('classOfService', value, classesOfService),
}

/** The fields of a story that are given, as they are stored; refuses what they cannot take. */
export function checkedStory<Given extends Partial<ProposedStory>>(given: Given): Given {
  const fields = (Object.keys(checks) as (keyof ProposedStory)[]).filter(
    (field) => given[field] !== undefined,
  )
  const check = (field: keyof ProposedStory) => (checks[field] as (value: unknown) => unknown)(given[field])
  return Object.fromEntries(fields.map((field) => [field, check(field)])) as Given
}

function one<Value extends string>(field: string, value: Value, values: readonly Value[]): Value {
  if (values.includes(value)) return value
  throw new DomainError('invalid_request', `${field} must be one of ${values.join(', ')}.`)
}
