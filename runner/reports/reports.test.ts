import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGo } from './go.ts'
import { readJunit } from './junit.ts'
import { testsIn } from './printed.ts'
import { readSarif } from './sarif.ts'
import { readTap } from './tap.ts'

test('JUnit: cases are counted, and the failed ones named', () => {
  const report = readJunit(`<?xml version="1.0"?><testsuites><testsuite name="s">
    <testcase classname="Orders" name="adds &lt;one&gt;"/>
    <testcase classname="Orders" name="removes"><failure message="x">at a.ts</failure></testcase>
    <testcase name="breaks"><error/><system-out><![CDATA[<failure/>]]></system-out></testcase>
    <testcase name="later"><skipped/></testcase>
  </testsuite></testsuites>`)
  assert.deepEqual(report.tests, { passed: 1, failed: 2, skipped: 1 })
  assert.deepEqual(report.failures, ['Orders › removes', 'breaks'])
  assert.deepEqual(report.passes, ['Orders › adds <one>'])
})

test('JUnit: nothing is expanded or loaded, and what is no XML is refused', () => {
  const bomb =
    '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuites><testcase name="&b;"/></testsuites>'
  const outside = '<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>'
  for (const text of [
    bomb,
    outside,
    '<testsuites><testcase name="&b;"/></testsuites>',
    '<a><b></a>',
    'no xml',
    '<a>'.repeat(500),
  ])
    assert.throws(() => readJunit(text), Error, text.slice(0, 40))
})

test('TAP: points are counted, sums of subtests are not', () => {
  const report = readTap(`TAP version 13
# Subtest: orders
    ok 1 - adds
    not ok 2 - removes
      ---
      error: x
      ...
    1..2
not ok 1 - orders
ok 2 - later # SKIP not now
not ok 3 - some day # TODO
ok 4 - other
1..4
`)
  assert.deepEqual(report.tests, { passed: 2, failed: 1, skipped: 2 })
  assert.deepEqual(report.failures, ['removes'])
  assert.deepEqual(report.passes, ['adds', 'other'])
  assert.throws(() => readTap('hello\n'))
})

test('SARIF: results are counted by level', () => {
  const results = [
    { level: 'error', ruleId: 'no-x', message: { text: 'x' } },
    { level: 'note' },
    {},
    { level: 'error' },
  ]
  assert.equal(readSarif(JSON.stringify({ runs: [{ results }] })).words, '2 errors, 1 warning, 1 note')
  assert.equal(readSarif('{"runs":[]}').words, 'nothing found')
  assert.throws(() => readSarif('{}'))
  assert.throws(() => readSarif('no'))
})

test('Go: a test with subtests is what they are', () => {
  const events = [
    { Action: 'run', Package: 'x', Test: 'TestA' },
    { Action: 'output', Package: 'x', Test: 'TestA', Output: 'x' },
    { Action: 'pass', Package: 'x', Test: 'TestA/one' },
    { Action: 'fail', Package: 'x', Test: 'TestA/two' },
    { Action: 'fail', Package: 'x', Test: 'TestA' },
    { Action: 'skip', Package: 'x', Test: 'TestB' },
    { Action: 'fail', Package: 'x' },
    { Action: 'constructor', Package: 'x', Test: 'TestC' },
    { Action: 'toString', Package: 'x', Test: 'TestD' },
  ]
  const report = readGo(`noise\n${events.map((event) => JSON.stringify(event)).join('\n')}\n{broken`)
  assert.deepEqual(report.tests, { passed: 1, failed: 1, skipped: 1 })
  assert.deepEqual(report.failures, ['x: TestA/two'])
})

test('what test runners print in the end is understood', () => {
  const cases: [text: string, passed: number, failed: number, skipped: number][] = [
    ['ℹ tests 5\nℹ pass 3\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\n', 3, 1, 1],
    ['# tests 2\n# pass 2\n# fail 0\n# skipped 0\n', 2, 0, 0],
    ['\u001b[1mTests:\u001b[22m       1 failed, 2 skipped, 30 passed, 33 total\n', 30, 1, 2],
    [' Test Files  1 failed (1)\n      Tests  2 failed | 29 passed (31)\n', 29, 2, 0],
    ['===== 2 failed, 29 passed, 1 skipped in 1.23s =====\n', 29, 2, 1],
    ['1 passed in 0.01s\n', 1, 0, 0],
    ['\n  12 passing (30ms)\n  1 pending\n  2 failing\n', 12, 2, 1],
    [
      'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\ntest result: FAILED. 1 passed; 2 failed; 0 ignored;\n',
      4,
      2,
      1,
    ],
    ['Failed!  - Failed:     1, Passed:     5, Skipped:     2, Total:     8\n', 5, 1, 2],
    ['Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)\n', 2, 2, 1],
  ]
  for (const [text, passed, failed, skipped] of cases)
    assert.deepEqual(testsIn(text), { passed, failed, skipped }, text)
  assert.equal(testsIn('Compiled 12 files.\n'), null)
})
