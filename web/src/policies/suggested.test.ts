import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedOf, groundsOf } from './suggested.ts'

const merge = (lines: number) => ({ decision: 'dec-k3x9', title: 'Merge it', lines })
const suggestion = {
  ...{ team: 'web', teamName: 'Web', basedOn: 3, asksAlways: false, limit: 40, maxLines: 80 },
  merges: [merge(80), merge(92), merge(41)],
}

test('a suggestion asks for a size, and says what was approved and how large it was', () => {
  assert.equal(askedOf(suggestion), 'Merge changes of up to 80 lines without asking?')
  assert.equal(
    groundsOf(suggestion),
    'The last 3 merges that needed approval only because they had more than 40 lines were approved unchanged. 2 of them had 80 lines or more. None was reverted or led to an incident.',
  )
  assert.equal(
    groundsOf({ ...suggestion, asksAlways: true, limit: 0, maxLines: 41 }),
    'The last 3 merges that needed approval only because the policy asks about every merge were approved unchanged. Each of them had 41 lines or more. None was reverted or led to an incident.',
  )
})
