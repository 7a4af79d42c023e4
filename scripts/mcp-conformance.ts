import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { testApp } from '../server/test/app.ts'
import { globalSetup, globalTeardown } from '../server/test/cluster.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../server/test/factories.ts'

/**
 * `npm run test:mcp`: installs the official conformance suite of the Model Context Protocol on demand and puts our own
 * server through the scenarios that apply to it, in both eras. Most scenarios of the suite call fixture tools that a
 * product does not have; those are not in the list.
 */

const suite = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const folder = path.join(import.meta.dirname, '..', 'node_modules', '.cache', 'mcp-conformance')

const applying: Record<string, string[]> = {
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'prompts-list',
    'caching',
    'dns-rebinding-protection',
    'http-header-validation',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
  ],
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
}

if (!existsSync(path.join(folder, 'node_modules', '.bin', 'conformance'))) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', suite], { cwd: folder, stdio: 'inherit' })
}

await globalSetup()
const app = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } })
const owner = await aMember(await aWorkspace(app.storage.db, app.clock), 'owner')
const team = await aTeam(owner)
await aPolicy(owner, team, 'supervised')
await aStory(owner, team, { column: 'backlog' })
const { token } = await aToken(owner)

// The suite cannot send a token, so a proxy adds it. Host and Origin pass as they are: they are what is tested.
const proxy = createServer((incoming, outgoing) => {
  const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
  const forwarded = request(`${app.url}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  forwarded.on('error', () => outgoing.destroy())
  outgoing.on('close', () => forwarded.destroy())
  incoming.pipe(forwarded)
})
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`

let failed = 0
try {
  for (const [version, scenarios] of Object.entries(applying))
    for (const scenario of scenarios) {
      const { code, output } = await run([
        'server',
        '--url',
        url,
        '--scenario',
        scenario,
        '--spec-version',
        version,
      ])
      process.stdout.write(`${version}  ${scenario.padEnd(32)} ${code === 0 ? 'passed' : 'FAILED'}\n`)
      if (code === 0) continue
      failed += 1
      process.stdout.write(`${output}\n`)
    }
} finally {
  proxy.close()
  await app.stop()
  await globalTeardown()
}
process.exitCode = failed > 0 ? 1 : 0

function run(given: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(
    process.execPath,
    [path.join(folder, 'node_modules', '.bin', 'conformance'), ...given],
    {
      cwd: folder,
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })))
}
