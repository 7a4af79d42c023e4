import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { PlayServer } from './conformance/play-server.ts'

const token = `tk_${'terminal'.padEnd(32, '0')}`

test('what the server says reaches the terminal with nothing in it that steers it', async (t) => {
  const data = await mkdtemp(path.join(tmpdir(), 'runner-'))
  const serverAlsoSays = { notice: '\u001b[2J\u202eAll is well\u200b\u0007' }
  const server = new PlayServer({ token, pace: 0.05, orders: [], serverAlsoSays })
  await server.listen()
  const main = path.join(import.meta.dirname, 'conformance', 'rehearsed-runner.ts')
  const child = spawn(process.execPath, [main, '--url', server.url, '--data', data], {
    env: { ...process.env, SERVICE_API_KEY: token, SIGNALBOX_RUNNER_PACE: '0.05' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(async () => {
    child.kill('SIGKILL')
    await server.goAway()
    await rm(data, { recursive: true, force: true })
  })
  let said = ''
  for await (const text of child.stderr.setEncoding('utf8')) {
    said += text
    if (said.includes('All is well')) break
  }
  assert.match(said, /\\u\{1b\}\[2J\\u\{202e\}All is well\\u\{200b\}\\u\{7\}\n/)
  assert.doesNotMatch(said, /[^\P{Cc}\n\t]|\p{Bidi_Control}|\u200b/u)
  child.kill('SIGTERM')
  await once(child, 'exit')
})
