#!/usr/bin/env node
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * A person's own program as a coding agent, for acceptance/app/first-hour.long.test.ts: what a language model would write
 * about the label repository of the demo stands here.
 */
const results = process.env.SIGNALBOX_RESULTS

const write = (file, text) => {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text))
}

const turns = {
  plan() {
    write(path.join(results, 'plan.json'), {
      plan: '1. `src/label.js`: a last line with the weight in kilograms.\n2. `test/label.test.js`: a test for it.',
      paths: ['src/label.js', 'test/label.test.js'],
      risk: 'low',
      lines: 8,
    })
  },
  spec() {
    write(
      path.join(results, 'acceptance', 'weight.test.js'),
      `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { label } from '../../../src/label.js'

const ada = { name: 'Ada Quist', street: 'Storgata 4', postcode: '1772', city: 'Halden' }

test('ac-1 a label of a parcel with 2,400 g ends with 2.4 kg', () => {
  assert.equal(label({ ...ada, grams: 2400 }).split('\\n').at(-1), '2.4 kg')
})

test('ac-2 a label without a weight looks as it did before', () => {
  assert.equal(label(ada), 'Ada Quist\\nStorgata 4\\n1772 Halden')
})
`,
    )
    write(path.join(results, 'acceptance', 'manifest.json'), {
      command: `node --test .kanman/acceptance/${process.env.SIGNALBOX_STORY}/weight.test.js`,
      files: ['weight.test.js'],
    })
  },
  implement() {
    write(
      'src/label.js',
      `/** The lines of a label, from the top. The weight comes last, where it is known. */
export function label({ name, street, postcode, city, grams }) {
  const weight = grams === undefined ? [] : [\`\${(grams / 1000).toFixed(1)} kg\`]
  return [name, street, \`\${postcode} \${city}\`, ...weight].join('\\n')
}
`,
    )
    const tests = 'test/label.test.js'
    write(
      tests,
      `${readFileSync(tests, 'utf8')}
test('the weight is the last line', () => {
  assert.equal(label({ ...ada, grams: 900 }).split('\\n').at(-1), '0.9 kg')
})
`,
    )
  },
}

process.stdout.write(`Doing what the turn asks for: ${process.env.SIGNALBOX_PURPOSE}\n`)
turns[process.env.SIGNALBOX_PURPOSE]?.()
