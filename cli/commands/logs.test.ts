import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

test('a log is followed through a failover, from the line after the last', async (t) => {
  const asked: string[] = []
  const lines = (from: number, ...texts: string[]) =>
    `event: lines\ndata: ${JSON.stringify({ from, attempt: 1, at: '2026-11-18T00:00:00Z', lines: texts })}\n\n`
  const server = createServer((request, response) => {
    asked.push(new URL(request.url!, 'http://server').searchParams.get('after')!)
    const stream = () => response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (asked.length === 1) stream().end(lines(1, 'first', 'second'))
    else if (asked.length === 2)
      response.writeHead(503).end('{"error":{"code":"service_unavailable","message":"Not now."}}')
    else stream().end(`${lines(3, 'third')}event: end\ndata: {}\n\n`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-logs-'))
  t.after(async () => {
    server.close()
    await rm(folder, { recursive: true, force: true })
  })
  await mkdir(path.join(folder, 'signalbox'))
  const account = { token: null, tokenId: null, workspace: 'acme', session: 'session=1' }
  const stored = JSON.stringify({ current: url, accounts: { [url]: account } })
  await writeFile(path.join(folder, 'signalbox', 'accounts.json'), stored)
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [path.join(import.meta.dirname, '..', 'main.ts'), 'logs', '-f', 'run-7k2q'],
    { env: { PATH: process.env.PATH, XDG_CONFIG_HOME: folder } },
  )
  assert.equal(stdout, 'first\nsecond\nthird\n')
  assert.match(stderr, /^The server cannot be reached\. Trying again\.\n$/)
  assert.deepEqual(asked, ['0', '2', '2'])
})
