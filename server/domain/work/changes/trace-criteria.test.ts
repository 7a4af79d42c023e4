import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placesOf } from './trace-criteria.ts'

const added = (...lines: string[]) =>
  `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join('\n')}`

const spec = {
  path: '.kanman/acceptance/LBL-1/weight.test.js',
  hunks: added(
    '// ac-1 and ac-2 are about the weight.',
    "import { label } from '../../../src/label.js'",
    "test('ac-1 a label ends with the weight', () => {})",
    "test('ac-2 a label without a weight', () => {})",
    "test('ac-10 something else', () => {})",
  ),
}
const changed = {
  path: 'src/label.js',
  hunks: '@@ -1,2 +1,2 @@\n line\n-old\n+new\n@@ -9 +9 @@\n-old\n+new',
}
const files = [spec, changed, { path: 'src/label.json', hunks: added('{}') }]

test('a criterion leads to the test that was printed, and to the changes in the files that the test names', () => {
  assert.deepEqual(placesOf({ id: 'ac-1', proof: '✔ ac-1 a label ends with the weight (2 ms)' }, files), {
    test: { path: spec.path, line: 3 },
    hunks: [{ path: 'src/label.js', line: 2 }],
  })
  assert.equal(placesOf({ id: 'ac-2', proof: '✔ ac-2 a label without a weight' }, files).test!.line, 4)
  // Nothing but the id is known of it: the first line that has it.
  assert.equal(placesOf({ id: 'ac-2', proof: 'Acceptance spec: 2 tests passed.' }, files).test!.line, 1)
})

test('where no test has its id, a criterion leads nowhere', () => {
  const nowhere = { test: null, hunks: [] }
  assert.deepEqual(placesOf({ id: 'ac-3', proof: '✔ ac-3 more' }, files), nowhere)
  assert.deepEqual(placesOf({ id: 'ac-1', proof: '✔ ac-1 a label' }, [changed]), nowhere)
  const elsewhere = { ...spec, path: 'src/weight.test.js' }
  assert.deepEqual(placesOf({ id: 'ac-1', proof: '✔ ac-1 a label' }, [elsewhere, changed]), nowhere)
})

test('in several repositories a test names files of its own', () => {
  const there = (name: string, file: typeof spec) => ({ ...file, path: `${name}:${file.path}` })
  const { test: found, hunks } = placesOf({ id: 'ac-1', proof: '✔ ac-1 a label ends with the weight' }, [
    there('halden/api', changed),
    there('halden/web', spec),
    there('halden/web', changed),
  ])
  assert.equal(found!.path, `halden/web:${spec.path}`)
  assert.deepEqual(hunks, [{ path: 'halden/web:src/label.js', line: 2 }])
})
