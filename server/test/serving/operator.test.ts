import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import { testApp } from '../app.ts'
import { aMember, aToken, aWorkspace } from '../factories.ts'

/** What the operator of the machine sees. */

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

test('metrics are on the operator’s port, by operation and status, and not on the public one', async () => {
  const port = await freePort()
  const app = await testApp({ env: { OPERATOR_PORT: String(port) } })
  const { token } = await aToken(await aMember(await aWorkspace(app.storage.db), 'owner'))
  for (const path of ['/v1/teams', '/v1/teams', '/v1/runs/run-0000'])
    await (await app.get(path, token)).text()
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  assert.match(text, /signalbox_http_request_seconds_count\{operation="listTeams",status="200"\} 2/)
  assert.match(text, /signalbox_http_request_seconds_count\{operation="readRun",status="404"\} 1/)
  assert.match(text, /signalbox_database_connections\{state="idle"\} \d/)
  const outside = await app.get('/metrics', token)
  assert.equal(outside.status, 404)
  await outside.text()
  await app.stop()
})

test('where there is no embedded database, the server says what to set', async () => {
  const elsewhere = `Object.defineProperty(process, 'arch', { value: 'sparc' })`
  const child = spawn(
    process.execPath,
    [
      `--import=data:text/javascript,${encodeURIComponent(elsewhere)}`,
      path.join(import.meta.dirname, '..', '..', 'main.ts'),
      'serve',
    ],
    { env: { ...process.env, PORT: '0', OPERATOR_PORT: 'off' }, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [code] = await once(child, 'exit')
  assert.equal(code, 1)
  assert.match(said, /There is no embedded PostgreSQL for \w+-sparc\. Set DATABASE_URL/)
})

test('all mistakes of the configuration are told at once, in sentences', async () => {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '..', '..', 'main.ts'), 'serve'], {
    env: { ...process.env, PORT: 'x', LOG_LEVEL: 'loud', HOST: '0.0.0.0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [code] = await once(child, 'exit')
  assert.equal(code, 2)
  for (const name of ['PORT', 'LOG_LEVEL', 'HOST']) assert.match(said, new RegExp(`^${name}`, 'm'))
  assert.doesNotMatch(said, /at .*\.ts:/, 'no stack')
})
