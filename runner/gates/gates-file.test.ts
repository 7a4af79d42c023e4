import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatesFileError, readGatesFile } from './gates-file.ts'

test('a file of gates says what is run, where, how long and what it leaves', () => {
  const { setUp, gates } = readGatesFile(`
setUp:
  - run: npm ci
gates:
  - name: test
    run: npm test
    folder: web
    timeout: 10m
    report: junit
    path: out/*.xml
  - { name: lint, run: make lint, network: registries, timeout: 30 }
`)
  assert.deepEqual(setUp, [
    {
      name: 'npm ci',
      run: 'npm ci',
      folder: '.',
      timeoutSeconds: 1_200,
      report: null,
      network: 'registries',
    },
  ])
  assert.deepEqual(gates, [
    {
      name: 'test',
      run: 'npm test',
      folder: 'web',
      timeoutSeconds: 600,
      report: { kind: 'junit', path: 'out/*.xml' },
      network: 'none',
    },
    { name: 'lint', run: 'make lint', folder: '.', timeoutSeconds: 30, report: null, network: 'registries' },
  ])
  assert.equal(readGatesFile('gates: []').setUp, null)
})

test('what is wrong with the file is said in words', () => {
  const cases: [text: string, words: RegExp][] = [
    ['gates: [', /^\.kanman\/gates\.yml: line 1: /],
    ['gates:\n  - name: x\n', /gates\.0 must have required properties run/],
    ['gates: []\nother: 1', /other is not a known setting/],
    ['gates:\n  - {name: x, run: y, folder: ../up}', /gates\.0\.folder must be a path inside the repository/],
    ['gates:\n  - {name: x, run: y, folder: /etc}', /gates\.0\.folder/],
    ['gates:\n  - {name: x, run: y}\n  - {name: x, run: z}', /two gates have the name "x"/],
    ['gates:\n  - {name: x, run: y, path: a.xml}', /gate "x" has a path but no report/],
    ['gates:\n  - {name: x, run: y, report: html}', /gates\.0\.report/],
    ['', /the file must be object/],
    ['gates:\n  - {name: x, run: y, timeout: soon}', /gates\.0\.timeout must be seconds/],
    [`gates: []\n#${'x'.repeat(200_000)}`, /too large/],
    [
      `a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b]\ngates: [*c, *c, *c]`,
      /alias/,
    ],
  ]
  for (const [text, words] of cases)
    assert.throws(
      () => readGatesFile(text),
      (error) => error instanceof GatesFileError && words.test(error.message),
      text.slice(0, 100),
    )
})
