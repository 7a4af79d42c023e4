import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classesOfService, complexities, sizes } from '@signalbox/contract/story.ts'
import fc from 'fast-check'
import { blockOf, readBlock } from './block.ts'

const line = fc.oneof(
  fc.string({ maxLength: 30 }).map((text) => text.replace(/[\r\n]/g, ' ')),
  fc.constantFrom('### Sizing', '## Test plan', '\\### Demonstrate', '- Size: XL', '1. One', '# Cases', ''),
)
const text = fc
  .array(line, { maxLength: 6 })
  .map((lines) => lines.join('\n').trim())
  .filter((one) => !/^_(None|Nothing) yet\._$/.test(one))
const textOrNone = text.map((one) => one || null)

test('what is written into the block is read out of it again, whatever people put into their texts', () => {
  const criterion = fc
    .string({ minLength: 1, maxLength: 40 })
    .map((one) => `It ${one.replace(/\s+/g, ' ').trim()}`.trim())
  fc.assert(
    fc.property(
      fc.record(
        {
          acceptanceCriteria: fc.array(criterion, { maxLength: 4 }),
          demonstrate: textOrNone,
          testPlan: textOrNone,
          size: fc.constantFrom(null, ...sizes),
          complexity: fc.constantFrom(null, ...complexities),
          classOfService: fc.constantFrom(...classesOfService),
        },
        { noNullPrototype: true },
      ),
      (said) => {
        const criteria = said.acceptanceCriteria.map((one) => ({ text: one, status: 'unverified' as const }))
        assert.deepEqual(readBlock(blockOf({ ...said, acceptanceCriteria: criteria })), said)
      },
    ),
    { numRuns: 500 },
  )
})

test('a block from before it had test plans says that there is none', () => {
  const old =
    '### Acceptance criteria\n\n- [ ] It works\n\n### Demonstrate\n\nOpen it.\n\n### Sizing\n\n- Size: M'
  const { testPlan, demonstrate, size } = readBlock(old)
  assert.deepEqual([testPlan, demonstrate, size], [null, 'Open it.', 'm'])
})
