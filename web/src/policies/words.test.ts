import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingKinds } from '@signalbox/contract/guard/finding.ts'
import { valueInWords } from './words.ts'

test('what passes without asking is said as what a person is still asked about', () => {
  const said = (allowed: unknown) => valueInWords('allowedFindings', allowed)
  assert.equal(said([]), 'all of them')
  assert.equal(said(['ci', 'binary']), 'all but CI pipelines, Other binary files')
  assert.equal(said(findingKinds.filter((kind) => kind !== 'mcp')), 'MCP servers')
  assert.equal(said([...findingKinds]), 'none of them')
})
