import assert from 'node:assert/strict'
import { test } from 'node:test'
import { similarTo } from './similarity.ts'

const asked = (title: string, paths: string[] | null = null, body = 'The change is verified. Merge it?') => ({
  ...{ title, body, paths },
})
const titles = (found: { title: string }[]) => found.map(({ title }) => title)

test('the most similar comes first, and what only shares the words of its kind is left out', () => {
  const others = [
    asked('Merge “Translate the footer”'),
    asked('Merge “Round parcel weights up”'),
    asked('Merge “Round weights in labels”'),
    asked('Merge “Upgrade the logger”'),
    asked('Merge “Rename the queue”'),
  ]
  const found = titles(similarTo(asked('Merge “Round parcel weights in labels”'), others))
  assert.deepEqual(found.slice(0, 2).toSorted(), [
    'Merge “Round parcel weights up”',
    'Merge “Round weights in labels”',
  ])
  assert.ok(!found.includes('Merge “Upgrade the logger”'), String(found))
})

test('files in common count as much as words, and a folder in common a little', () => {
  const others = [
    asked('Fix one thing', ['docs/readme.md']),
    asked('Mend another', ['src/labels/print.ts', 'src/labels/weight.ts']),
    asked('Improve a third', ['src/labels/read.ts']),
  ]
  const found = titles(similarTo(asked('Change it', ['src/labels/print.ts']), others))
  assert.deepEqual(found.slice(0, 2), ['Mend another', 'Improve a third'])
})

test('languages without spaces between words are compared by words too', () => {
  const others = [asked('送料の計算を直す', null, ''), asked('ログイン画面の色を変える', null, '')]
  assert.deepEqual(titles(similarTo(asked('送料の計算を速くする', null, ''), others)), ['送料の計算を直す'])
})

test('with nothing to compare with there is nothing', () => {
  assert.deepEqual(similarTo(asked('Merge it'), []), [])
})
