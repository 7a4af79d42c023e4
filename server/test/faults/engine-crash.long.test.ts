import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { type RunListed, runStages } from '@signalbox/contract/run.ts'
import { urlOf } from '../app.ts'
import { testDatabase } from '../database.ts'
import { until } from '../until.ts'

/**
 * Whatever is killed while runs are under way: they continue and end well, and nothing is done twice.
 *
 * FAULTS=all kills at each step of a run (`npm run test:faults`), otherwise at every fourth.
 */

const stepsPerKill = process.env.FAULTS === 'all' ? 1 : 4

const running = new Set<ChildProcess>()
const folders: string[] = []

after(async () => {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

async function serve(environment: Record<string, string>) {
  const child = spawn(
    process.execPath,
    [...process.execArgv, path.join(import.meta.dirname, 'scripted-server.ts')],
    {
      env: {
        ...process.env,
        PORT: '0',
        OPERATOR_PORT: 'off',
        LOG_LEVEL: 'silent',
        RATE_LIMIT_PER_MINUTE: '1000000',
        SECRET_KEY: 'a key for tests that is long enough',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  running.add(child)
  child.once('exit', () => running.delete(child))
  const died = once(child, 'exit').then(([code]) => assert.fail(`the server ended with ${code} at its start`))
  died.catch(() => {})
  const [line] = await Promise.race([once(child.stdout!, 'data'), died])
  const { url, token } = JSON.parse(String(line)) as { url: string; token: string }
  return { child, url, token }
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-engine-'))
  folders.push(folder)
  return folder
}

const steps = stepsPerKill === 1 ? 'each of its steps' : `every ${stepsPerKill}th of its steps`

test(`a run whose server is killed with -9 at ${steps} goes on, and ends merged once`, async () => {
  const database = await testDatabase()
  after(() => database.close())
  const environment = { DATABASE_URL: urlOf(database.connection), DATA_DIR: await newFolder() }
  let seen = 0
  let secondsAhead = 0
  /** Steps that were not seen before: the moment to strike. */
  const newStep = async () => {
    const { rows } = await database.pool.query('select distinct type from run_events')
    if (rows.length < seen + stepsPerKill) return false
    seen = rows.length
    return true
  }
  const isOver = async () => {
    const { rows } = await database.pool.query<{ phase: string }>('select phase from runs')
    return rows.some(({ phase }) => ['succeeded', 'failed', 'timed_out', 'stopped'].includes(phase))
  }
  const isPausing = async () => {
    const { rowCount } = await database.pool.query(
      "select from runs where phase = 'queued' and wake_at > now() + $1 * interval '1 second'",
      [secondsAhead],
    )
    return rowCount === 1
  }

  const isIn = async (stage: string | undefined) => {
    const { rows } = await database.pool.query('select from work_orders where stage = $1', [stage])
    return rows.length > 0
  }

  // However late a step is seen here, it is killed in each stage: there the run waits for it.
  let kills = 0
  for (;;) {
    const held = runStages[kills]
    const { child } = await serve({
      ...environment,
      SECONDS_AHEAD: String(secondsAhead),
      ...(held ? { HELD_STAGE: held } : {}),
    })
    // A run that pauses before its next attempt is not waited for: the next process is a minute ahead.
    await until(
      'the next step, a stage that is held, a pause, or the end',
      async () => (await newStep()) || (await isIn(held)) || (await isPausing()) || (await isOver()),
    )
    child.kill('SIGKILL')
    await once(child, 'exit')
    if (await isOver()) break
    kills += 1
    secondsAhead += 61
  }

  assert.ok(kills >= Math.max(runStages.length, 10 / stepsPerKill), `${kills} kills`)
  const { rows } = await database.pool.query('select phase, attempts from runs')
  assert.deepEqual(
    rows.map(({ phase }) => phase),
    ['succeeded'],
  )
  const { rows: counts } = await database.pool.query<{ type: string; times: number }>(
    `select type, count(*)::int as times from run_events where type in ('merged', 'main_green') group by type`,
  )
  assert.deepEqual(Object.fromEntries(counts.map(({ type, times }) => [type, times])), {
    merged: 1,
    main_green: 1,
  })
})

test('a database that is killed while four runs are under way comes back, and all of them end well', async () => {
  const folder = await newFolder()
  const { child, url, token } = await serve({
    DATA_DIR: folder,
    STORIES: '4',
    BEAT_SECONDS: '0.3',
    CLOCK_SPEED: '10',
  })
  const runs = async (): Promise<RunListed[]> => {
    const response = await fetch(`${url}/v1/runs?limit=100`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (response.status !== 200) return []
    return ((await response.json()) as { data: RunListed[] }).data
  }
  const done = async () => (await runs()).filter(({ status }) => status === 'succeeded').length
  let early = 0
  await until('a run is done', async () => {
    early = await done()
    return early >= 1
  })
  assert.ok(early < 4, 'and others are not')
  const pid = await readFile(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8')
  process.kill(Number(pid.split('\n')[0]), 'SIGKILL')
  await until('every run is done', async () => (await done()) === 4)
  child.kill('SIGTERM')
  await once(child, 'exit')
})
