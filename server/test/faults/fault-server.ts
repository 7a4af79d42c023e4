import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import type { Storage } from '../../app/storage.ts'
import { sweep } from '../../domain/engine/supervision/sweep.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { setRepositories } from '../../domain/work/repositories/set.ts'
import { performersFor } from '../../faces/worker/performers.ts'
import { silentQueue } from '../../infra/jobs/queue.ts'
import { aMember, aPolicy, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'

/**
 * A whole server with its embedded database and a team that works in REPOSITORY, as a process of its own so that a test
 * can kill it. Its clock has run CLOCK_SPEED times as fast since CLOCK_BEGAN, over every restart, so that what waits for
 * minutes waits for seconds; and it sweeps as often. Prints one line of JSON.
 */

const { DATA_DIR, REPOSITORY, STORIES, CLOCK_BEGAN, CLOCK_SPEED } = process.env as Record<string, string>
const [began, speed] = [Number(CLOCK_BEGAN), Number(CLOCK_SPEED)]
const clock = { now: () => new Date(began + (Date.now() - began) * speed) }
const tokenFile = path.join(DATA_DIR!, 'token')

async function prepare({ db }: Storage): Promise<void> {
  if (existsSync(tokenFile)) return
  const owner = await aMember(await aWorkspace(db, clock), 'owner')
  const team = await aTeam(owner)
  await setRepositories(owner, null, team.slug, [{ name: 'shop', address: REPOSITORY!, branch: 'main' }])
  await aPolicy(owner, team, 'autonomous', {
    ...{ maxConcurrency: 1, isolation: 'none' },
    budgets: { runCents: 1_000, dayCents: null, monthCents: null },
  })
  for (let n = 0; n < Number(STORIES); n += 1) await aStory(owner, team)
  const { token } = await aToken(owner, ['read', 'write'])
  await writeFile(tokenFile, token)
}

let ports!: Ports
const app = await startApp(readConfig(process.env), {
  clock,
  prepare,
  connect: (_report, _log, _print, configured) => {
    ports = configured
    return {}
  },
})
const { db, secrets } = app.storage
const performers = performersFor(ports, { secrets, publicUrl: () => app.url })
const looks = setInterval(() => {
  // A database that is away is away: the next look finds the same.
  sweep({ db, clock, queue: silentQueue }, { work: ports.work, performers }, () => {}).catch(() => {})
}, 60_000 / speed)
process.stdout.write(`${JSON.stringify({ url: app.url, token: await readFile(tokenFile, 'utf8') })}\n`)
// A test that was killed leaves no server behind.
const parent = process.ppid
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), 500).unref()
process.once('SIGTERM', () => {
  clearInterval(looks)
  app.stop().then(() => process.exit(0))
})
