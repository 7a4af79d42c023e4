import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secretsFrom } from '../../../infra/secrets.ts'
import { openWithAny, originOf, signCheckpoint } from './checkpoint.ts'
import { followKeys, signKeyChange } from './log-keys.ts'

const workspaceId = '01890000-0000-7000-8000-000000000000'
const origin = originOf(workspaceId)
const [first, second, third, thief] = ['1', '2', '3', 'x'].map((name) => secretsFrom(`key ${name}`).signing)
const root = Buffer.alloc(32, 7)
const at = new Date('2026-03-31T12:00:00Z')
const change = (from: typeof first, to: typeof first, size: number) =>
  signKeyChange({ origin, size, root, at }, from!, to!)
const changes = [change(first, second, 10), change(second, third, 20)]
const checkpoint = (size: number, ...by: (typeof first)[]) =>
  signCheckpoint({ workspaceId, size, root }, ...by.map((key) => key!.privateKey))
const opens = (note: string, trusted: typeof first, notes = changes, successors = true) => {
  try {
    return openWithAny(note, followKeys(trusted!.publicKey, notes, origin, { successors })).size
  } catch (error) {
    return (error as Error).message
  }
}

test('from any key of a log, notes that two keys have signed lead to all others', () => {
  for (const trusted of [first, second, third]) {
    assert.equal(opens(checkpoint(9, first), trusted), 9)
    assert.equal(opens(checkpoint(15, second), trusted), 15)
    assert.equal(opens(checkpoint(15, second, first), trusted), 15, 'signed with both while they overlap')
    assert.equal(opens(checkpoint(25, third), trusted), 25)
  }
  assert.match(String(opens(checkpoint(9, first), third, [])), /not signed with this key/)
  assert.match(String(opens(checkpoint(25, third), first, changes, false)), /not signed with this key/)
})

test('an old key signs for nothing after it was replaced, and names no other successor', () => {
  assert.match(String(opens(checkpoint(11, first), third)), /replaced by then/)
  // Someone who has got hold of the first key, years later.
  const stolen = [...changes, change(first, thief, 10)]
  assert.match(String(opens(checkpoint(30, thief), third, stolen)), /not signed with this key/)
  const halfSigned = change(first, thief, 10).split('\n').slice(0, -2).join('\n')
  assert.match(String(opens(checkpoint(30, thief), first, [`${halfSigned}\n`])), /not signed with this key/)
  const ofAnother = signKeyChange({ origin: `${origin}0`, size: 10, root, at }, first!, thief!)
  assert.match(String(opens(checkpoint(30, thief), first, [ofAnother])), /not signed with this key/)
})
