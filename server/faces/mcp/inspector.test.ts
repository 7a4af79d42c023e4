import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testApp } from '../../test/app.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../../test/factories.ts'

/** The Inspector's own command line: its `--strict` fails on what some client could not take of a schema. */
const inspector = path.join(
  path.dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/package.json'))),
  'clients/launcher/build/index.js',
)

let app: Awaited<ReturnType<typeof testApp>>
let token: string
let story: string
before(async () => {
  app = await testApp()
  const owner = await aMember(await aWorkspace(app.storage.db, app.clock), 'owner')
  const team = await aTeam(owner)
  await aPolicy(owner, team, 'supervised')
  story = (await aStory(owner, team, { column: 'backlog' })).key
  token = (await aToken(owner, ['read'])).token
})
after(() => app.stop())

function inspect(era: string, ...method: string[]): Promise<{ code: number | null; said: string }> {
  const header = `Authorization: Bearer ${token}`
  const common = ['--cli', `${app.url}/mcp?toolsets=all`, '--transport', 'http', '--header', header]
  const given = [inspector, ...common, '--protocol-era', era, '--method', ...method]
  const child = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said += bytes))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })))
}

for (const era of ['legacy', 'modern'])
  test(`the Inspector, as a ${era} client, finds nothing in our tools that another client could not take`, async () => {
    const { code, said } = await inspect(era, 'tools/list', '--strict')
    assert.equal(code, 0, said)
    assert.match(said, /request_human_input/)
  })

test('the Inspector reads a story', async () => {
  const given = ['--tool-name', 'get_story', '--tool-arg', `story=${story}`]
  const { code, said } = await inspect('modern', 'tools/call', ...given)
  assert.equal(code, 0, said)
  assert.match(said, new RegExp(story))
})
