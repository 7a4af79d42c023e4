import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasCommand, shellLinesIn } from './shell-lines.ts'

const fence = '```'

test('shell lines are those in fences of a shell, or behind a prompt', () => {
  const block = `Run it:
${fence}sh
npm start
${fence}
${fence}console
$ curl localhost
hello
$ ls
${fence}
${fence}json
{"a": 1}
${fence}
${fence}
make demo
${fence}`
  assert.deepEqual(shellLinesIn(block), ['npm start', 'curl localhost\nls', 'make demo'])
})

test('a command is one in a fence, in backticks, behind a prompt or on a line of its own, and a sentence is none', () => {
  for (const text of [
    'node src/print.js --grams 2400',
    'npm start',
    '- `npm test`',
    '$ make demo',
    './demo.sh',
    `Run it:\n${fence}sh\nls\n${fence}`,
    '1. report --month 5',
  ])
    assert.ok(hasCommand(text), text)
  for (const text of ['', 'Look', 'make it faster', 'see readme.md', 'open /checkout', '$', 'node', 'a - b'])
    assert.ok(!hasCommand(text), text)
})
