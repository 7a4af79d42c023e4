import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { question } from '../test/scenarios.ts'

let out: string
beforeEach(() => {
  out = mkdtempSync(path.join(tmpdir(), 'out-'))
})
afterEach(() => rmSync(out, { recursive: true }))

const server = path.join(import.meta.dirname, 'inside', 'ask-server.mjs')

function talk(requests: object[]) {
  const input = requests.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join('')
  const { stdout } = spawnSync(process.execPath, [server, out], { input, encoding: 'utf8' })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const call = (id: number, question: object) => ({
  id,
  method: 'tools/call',
  params: { name: 'request_human_input', arguments: question },
})

test('it offers one tool, which leaves the question in the result folder and ends the turn', () => {
  const [hello, list, answer] = talk([
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
    call(3, question),
  ])
  assert.equal(hello.result.protocolVersion, '2025-06-18')
  assert.deepEqual(
    list.result.tools.map(({ name }: { name: string }) => name),
    ['request_human_input'],
  )
  assert.match(answer.result.content[0].text, /End your turn now/)
  assert.deepEqual(JSON.parse(readFileSync(path.join(out, 'question.json'), 'utf8')), question)
})

test('a question that no one could answer is sent back with what is wrong', () => {
  const [few, strange, unknown] = talk([
    call(1, { ...question, options: question.options.slice(1) }),
    call(2, { ...question, recommendation: 'yen' }),
    { id: 3, method: 'resources/list' },
  ])
  assert.equal(few.result.isError, true)
  assert.match(few.result.content[0].text, /two to four/)
  assert.match(strange.result.content[0].text, /one of the options/)
  assert.equal(unknown.error.code, -32601)
  assert.equal(existsSync(path.join(out, 'question.json')), false)
})
