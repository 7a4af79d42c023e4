import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { keepFile } from '../../domain/work/files/keep.ts'
import { testApp, urlOf } from '../../test/app.ts'
import { TestClock } from '../../test/clock.ts'
import { testDatabase } from '../../test/database.ts'
import { goesWell, TestEngine } from '../../test/engine/engine.ts'
import { OneRun } from '../../test/engine/one-run.ts'
import { aMember, aToken } from '../../test/factories.ts'

const fileOf = (name: string, length: number) =>
  `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-old\n+${'x'.repeat(length)}\n`

// Both runs before the server is there: it moves runs on its own.
const database = await testDatabase()
const engine = new TestEngine(database.db)
const empty = await OneRun.begin(engine)
const run = await OneRun.begin(engine, { owner: empty.owner })
const bytes = Buffer.from(fileOf('long.txt', 20_000) + fileOf('short.txt', 10))
const diff = createHash('sha256').update(bytes).digest('hex')
await run.tell(goesWell.plan)
await keepFile(run.owner, { order: run.order, sha256: diff, bytes })
await run.tell({ ...goesWell.change, pullRequest: null, diff, findings: ['A test was removed.'] })
const { token } = await aToken(await aMember(run.owner, 'member'))

const app = await testApp({ databaseUrl: urlOf(database.connection), clock: new TestClock() })
after(async () => {
  await app.stop()
  await database.close()
})

interface Read {
  diff: { files: { path: string; hunks: string | null }[]; findings: string[] } | null
  nextStep: string
  error?: { message: string }
}

async function read(given: object): Promise<Read> {
  const response = await app.get('/mcp', token, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'get_diff', arguments: given },
    }),
  })
  const [, line] = /^data: (.*)$/m.exec(await response.text())!
  return JSON.parse(line!).result.structuredContent
}

test('the diff of a run is read as far as it fits, and each file on its own', async () => {
  const all = await read({ run: run.key })
  assert.deepEqual(
    all.diff?.files.map(({ path, hunks }) => [path, hunks !== null]),
    [
      ['long.txt', false],
      ['short.txt', true],
    ],
  )
  assert.deepEqual(all.diff?.findings, ['A test was removed.'])
  assert.match(all.nextStep, /with the path/)
  const one = await read({ run: run.key, path: 'long.txt' })
  assert.ok((one.diff?.files[0]?.hunks?.length ?? 0) > 20_000)
})

test('a run without a change has none, and a file that is not in it is refused with what helps', async () => {
  assert.equal((await read({ run: empty.key })).diff, null)
  assert.match((await read({ run: run.key, path: 'none.txt' })).error?.message ?? '', /Call get_diff without/)
  assert.match((await read({ run: 'run-zzzz' })).error?.message ?? '', /run-zzzz/)
})
