import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from './permission.ts'

const setup = {
  worktree: '/w/tree',
  out: '/out',
  readOnly: false,
  beside: [],
  denied: ['.kanman/acceptance'],
}
const isAllowed = (call: object, change: object = {}) =>
  judge({ toolCallId: '1', ...call }, { ...setup, ...change }).isAllowed

test('edits are allowed in the worktree and the result folder, nowhere else', () => {
  const edit = (path: string) => isAllowed({ kind: 'edit', locations: [{ path }] })
  assert.equal(edit('/w/tree/src/a.ts'), true)
  assert.equal(edit('src/a.ts'), true)
  assert.equal(edit('/out/plan.json'), true)
  assert.equal(edit('/w/tree/../other/a'), false)
  assert.equal(edit('/w/tree-of-another/a'), false)
  assert.equal(edit('/etc/passwd'), false)
})

test('denied paths stay as they are, wherever the call names them', () => {
  const path = '/w/tree/.kanman/acceptance/WEB-1/spec.ts'
  assert.equal(isAllowed({ kind: 'edit', content: [{ type: 'diff', path, newText: '' }] }), false)
  assert.equal(isAllowed({ kind: 'delete', rawInput: { file_path: path } }), false)
  assert.equal(isAllowed({ kind: 'edit', rawInput: { changes: { [path]: {} } } }), false)
  assert.equal(isAllowed({ kind: 'read', locations: [{ path }] }), true)
})

test('a turn that may only read writes to the result folder alone', () => {
  const edit = (path: string) => isAllowed({ kind: 'edit', locations: [{ path }] }, { readOnly: true })
  assert.equal(edit('/w/tree/src/a.ts'), false)
  assert.equal(edit('/out/plan.json'), true)
})

test('commands run in the worktree; the network and another mode are refused', () => {
  assert.equal(isAllowed({ kind: 'execute', rawInput: { command: 'npm test', cwd: '/w/tree' } }), true)
  assert.equal(isAllowed({ kind: 'execute', rawInput: { command: 'ls', cwd: '/home/me' } }), false)
  assert.equal(isAllowed({ kind: 'fetch' }), false)
  assert.equal(isAllowed({ kind: 'switch_mode' }), false)
})
