import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { testApp } from '../../server/test/app.ts'
import { globalSetup, globalTeardown } from '../../server/test/cluster.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../server/test/factories.ts'
import { installed } from '../../server/test/install-once.ts'
import { mountFixtures } from '../../server/test/mcp/mount.ts'

/**
 * `npm run test:mcp`: installs the official conformance suite of the Model Context Protocol on demand. It meets the
 * server twice: with its own fixtures behind our door, where every scenario that a revision requires is scored, and as
 * the product is, with the scenarios that need no fixture. The Inspector is in `npm test`.
 */

const suiteName = '@modelcontextprotocol/conformance'
const suite = installed('mcp-conformance', `${suiteName}@0.2.0-alpha.12`)

/** What a revision requires of a server; how many of these pass, and what is known to fail. */
const required = [
  { revision: '2026-07-28', scored: 37, passes: 37, expected: null },
  { revision: '2025-11-25', scored: 30, passes: 26, expected: 'expected-failures.yml' },
]

/** Most scenarios call fixtures, which a product does not have. */
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

const say = (line: string) => process.stdout.write(`${line}\n`)
let failed = 0
function judge(what: string, isMet: boolean, output: string): void {
  say(`${what.padEnd(64)} ${isMet ? 'passed' : 'FAILED'}`)
  if (isMet) return
  failed += 1
  say(output)
}

await globalSetup()
const app = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } })
const fixtures = await mountFixtures(app)
const owner = await aMember(await aWorkspace(app.storage.db, app.clock), 'owner')
const team = await aTeam(owner)
await aPolicy(owner, team, 'supervised')
await aStory(owner, team, { column: 'backlog' })
const { token } = await aToken(owner)
const doors = [await withToken(fixtures.url), await withToken(app.url)] as const

try {
  for (const one of required) await judgeRevision(one)
  for (const [version, scenarios] of Object.entries(applying))
    for (const scenario of scenarios) {
      const given = ['--scenario', scenario, '--spec-version', version]
      const { code, output } = await conform(['server', '--url', `${doors[1].url}/mcp`, ...given])
      judge(`product, ${version}: ${scenario}`, code === 0, output)
    }
} finally {
  for (const door of doors) door.close()
  await fixtures.stop()
  await app.stop()
  await globalTeardown()
}
process.exitCode = failed > 0 ? 1 : 0

/** The suite runs more than it scores; what a revision requires is in a file of its own. */
async function judgeRevision({ revision, scored, passes, expected }: (typeof required)[number]) {
  const baseline = expected ? ['--expected-failures', path.join(import.meta.dirname, expected)] : []
  const address = ['--url', `${doors[0].url}/mcp`]
  const { code, output } = await conform(['server', ...address, '--requirements', revision, ...baseline])
  const requirements = path.join(suite, 'node_modules', suiteName, 'requirements', `${revision}.yaml`)
  const [, listed] = /^server:\n((?: {2}- .*\n)+)/m.exec(await readFile(requirements, 'utf8'))!
  const wanted = listed!.match(/[\w-]+$/gm)!
  const passed = wanted.filter((scenario) => output.includes(`\n✓ ${scenario}: `))
  judge(
    `fixtures, ${revision}: ${passed.length} of ${wanted.length} scored scenarios`,
    code === 0 && passed.length === passes && wanted.length === scored,
    output,
  )
  for (const scenario of wanted.filter((one) => !passed.includes(one)))
    say(`  fails as expected: ${scenario}`)
}

/** The suite cannot send a token, so a proxy adds it. Host and Origin pass as they are: they are what is tested. */
async function withToken(url: string) {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const forwarded = request(`${url}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => proxy.close() }
}

function conform(given: string[]) {
  return run(suite, [path.join(suite, 'node_modules', '.bin', 'conformance'), ...given])
}

function run(cwd: string, given: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, given, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })))
}
