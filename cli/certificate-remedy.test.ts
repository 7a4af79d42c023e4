import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { certificateRemedy } from './certificate-remedy.ts'

const fixtures = path.join(
  ...[import.meta.dirname, '..', 'server', 'domain', 'on-call', 'senders', 'cloudwatch', 'sns', 'fixtures'],
)

test('a server whose certificate this machine does not trust is told with what to set, by every command', async (t) => {
  const [cert, key] = await Promise.all(
    ['test-host.crt', 'test-host.key'].map((name) => readFile(path.join(fixtures, name))),
  )
  const server = createServer({ cert, key }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const home = await mkdtemp(path.join(tmpdir(), 'signalbox-certificate-'))
  t.after(async () => {
    server.close()
    await rm(home, { recursive: true, force: true })
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const signedIn = { SIGNALBOX_URL: url, SERVICE_API_KEY: `tk_${'a'.repeat(32)}` }
  const said = (env: Record<string, string>, ...args: string[]) =>
    new Promise<[code: unknown, stderr: string]>((resolve) => {
      execFile(
        process.execPath,
        [path.join(import.meta.dirname, 'main.ts'), ...args],
        { env: { PATH: process.env.PATH, XDG_CONFIG_HOME: home, ...env } },
        (error, _, stderr) => resolve([error?.code, stderr]),
      )
    })
  const answers = await Promise.all([said(signedIn, 'inbox'), said({}, 'login', '--url', url)])
  for (const [code, stderr] of answers) {
    assert.equal(code, 7, stderr)
    assert.match(
      stderr,
      /^https:\/\/127\.0\.0\.1:\d+ cannot be reached\. This machine does not trust who issued its certificate \([A-Z_]+\)\. .*set NODE_EXTRA_CA_CERTS to the PEM file of the authority\.\n$/,
    )
  }
})

test('each kind of wrong certificate has its remedy, however deep it is, and nothing else has one', () => {
  const because = (code: string) =>
    certificateRemedy(
      new Error('a', { cause: new Error('b', { cause: Object.assign(new Error('c'), { code }) }) }),
    )
  assert.match(because('CERT_HAS_EXPIRED')!, /not valid now \(CERT_HAS_EXPIRED\)/)
  assert.match(because('ERR_TLS_CERT_ALTNAME_INVALID')!, /for another name/)
  assert.match(because('CERT_REVOKED')!, /cannot be used \(CERT_REVOKED\)/)
  for (const code of ['ECONNREFUSED', 'constructor', '']) assert.equal(because(code), null)
})
