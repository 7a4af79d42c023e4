import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { listRunners } from '../../domain/engine/runners/list.ts'
import { urlOf } from '../app.ts'
import { testDatabase } from '../database.ts'
import { aMember, aToken, aWorkspace } from '../factories.ts'
import { until } from '../until.ts'

/** `npm start -- --with-runner`: a team on one machine. */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-with-runner-'))
const database = await testDatabase()
const started: ChildProcess[] = []
after(async () => {
  for (const child of started) if (child.exitCode === null) child.kill('SIGKILL')
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

function serve(token: string | undefined) {
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, '..', '..', 'main.ts'), 'serve', '--with-runner'],
    {
      env: {
        ...process.env,
        ...(token ? { SERVICE_API_KEY: token } : {}),
        ...{ DATABASE_URL: urlOf(database.connection), DATABASE_CONNECTIONS: '3', DATA_DIR: folder },
        ...{ SECRET_KEY: 'a key for tests that is long enough', PORT: '0', OPERATOR_PORT: 'off' },
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  started.push(child)
  const heard = { text: '' }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.text += text
  })
  return { child, heard }
}

test('without a token it says where to create one, and serves', async () => {
  const { child, heard } = serve(undefined)
  await until('it says so', () => heard.text.includes('No runner was started'))
  assert.match(
    heard.text,
    /SERVICE_API_KEY is not set\. Create a token at http:\S+ under Settings, API tokens/,
  )
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('with one, a runner is connected within seconds, and goes with the server', async () => {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const { child } = serve((await aToken(owner)).token)
  const list = () => listRunners(owner)
  await until('the runner is there', async () => (await list()).some(({ online }) => online))
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
  await until('the runner has left', async () => (await list()).every(({ online }) => !online))
})
