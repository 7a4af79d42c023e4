import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'

/** What ends a process of tests that does not leave, and only such a one. */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-leave-'))
after(() => rm(folder, { recursive: true }))

const leave = path.join(import.meta.dirname, 'leave.ts')
/** Shorter than the tests below take, longer than they take to close. */
const longestMs = 2_000

async function play(name: string, source: string): Promise<{ code: number | null; printed: string }> {
  const file = path.join(folder, `${name}.mjs`)
  await writeFile(file, source)
  const { NODE_TEST_CONTEXT, ...env } = process.env
  const child = spawn(process.execPath, ['--import', leave, file], {
    env: { ...env, SIGNALBOX_TEST_RUNNER: String(process.pid), SIGNALBOX_TEST_LEAVE_MS: String(longestMs) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, printed: out + err }
}

const longTest = `test('a long one', () => new Promise((resolve) => setTimeout(resolve, ${1.5 * longestMs})))`

test('files that are read one after the other have all the time they need', async () => {
  const { code, printed } = await play(
    'several',
    `import { suite, test } from 'node:test'
     import { readSeveral } from ${JSON.stringify(pathToFileURL(leave).href)}
     const end = readSeveral()
     await suite('one', () => void test('short', () => {}))
     await suite('two', () => { ${longTest} })
     end()`,
  )
  assert.equal(code, 0, printed)
  assert.match(printed, /pass 2\n/)
})

test('so has a file that awaits something between two of its tests', async () => {
  const { code, printed } = await play(
    'between',
    `import { test } from 'node:test'
     await test('short', () => {})
     await new Promise((resolve) => setTimeout(resolve, 10))
     ${longTest}`,
  )
  assert.equal(code, 0, printed)
  assert.match(printed, /pass 2\n/)
})

test('a process whose tests are over and which holds a server fails, and says what it holds', async () => {
  const { code, printed } = await play(
    'server',
    `import { createServer } from 'node:http'
     import { test } from 'node:test'
     test('it listens', () => new Promise((resolve) => createServer().listen(0, '127.0.0.1', resolve)))`,
  )
  assert.equal(code, 1, printed)
  assert.match(printed, /The tests are over, and the process does not leave: .*1 TCPServerWrap/)
})
