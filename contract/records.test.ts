import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { anyRecordOf, recordOf } from './shapes.ts'

test('whatever a name holds, its value is held to the schema or the name is refused', () => {
  const taken = Compile(recordOf(Type.String()))
  const given = Compile(anyRecordOf(Type.String()))
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('a\nb', '\r', '\u2028', '', '\0', '__proto__', 'a\u0085'),
      ),
      (name) => {
        const bad = Object.fromEntries([[name, { a: 1 }]])
        assert.equal(taken.Check(bad), false)
        assert.equal(given.Check(bad), false)
      },
    ),
  )
  assert.equal(taken.Check({ token: 'x', 'naïve name': 'y' }), true)
  assert.equal(taken.Check({ 'a\nb': 'x' }), false)
  assert.equal(given.Check({ 'a\nb': 'x' }), true)
})

test('records are made by the one rule for their names', () => {
  const root = path.join(import.meta.dirname, '..')
  const bare = globSync('{contract,client,cli,server,runner}/**/*.ts', {
    cwd: root,
    exclude: ['**/node_modules', '**/*.test.ts', 'runner/dist/**'],
  })
    .filter((file) => file !== path.join('contract', 'shapes.ts'))
    .filter((file) =>
      /Type\.Record\(\s*(?:Type\.String|text)/.test(readFileSync(path.join(root, file), 'utf8')),
    )
  assert.deepEqual(bare, [])
})
