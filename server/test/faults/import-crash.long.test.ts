import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { readMirror } from '../../domain/reach/mirror/read.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { urlOf } from '../app.ts'
import { testDatabase } from '../database.ts'
import { GithubDouble } from '../doubles/github.ts'
import { GithubIssues } from '../doubles/github-issues.ts'
import { aMember, aTeam, aWorkspace } from '../factories.ts'
import { tables } from '../tables.ts'
import { bindTeam } from '../tools/bound-team.ts'
import { aConnection } from '../tools/connections.ts'
import { until } from '../until.ts'

/**
 * A first import that is large, and whose process is killed without warning in the middle, twice. What was read is not
 * kept: the heap has no room for it.
 */

const all = process.env.FAULTS === 'all'
const count = 50_000
const perPage = 100
const key = 'a key for tests that is long enough'
const token = 'tok-do-not-tell-0123456789'
const repository = 'halden/large'

const running = new Set<ChildProcess>()
const ending: (() => unknown)[] = []
after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all([...running].map((child) => once(child, 'exit')))
  for (const end of ending) await end()
})

test(`${count.toLocaleString('en')} issues are imported: nothing twice, on from where it was after a kill, progress shown, memory bounded`, {
  skip: !all && 'it takes minutes: npm run test:faults',
}, async (context) => {
  const database = await testDatabase()
  ending.push(() => database.close())
  const github = await new GithubDouble().start()
  ending.push(() => github.stop())
  github.addToken(token, { login: 'signalbox' })
  const { id: repositoryId } = github.addRepository(repository)
  // Old ones, a second apart: what changed in the last minutes is read again by every sweep.
  let at = Date.now() - 10 * 86_400_000
  const issues = new GithubIssues(github, repository, { now: () => new Date(at) })
  for (let number = 1; number <= count; number += 1) {
    at += 1_000
    issues.open({ title: `Issue ${number} of many`, body: `What is wrong in case ${number}. `.repeat(60) })
  }
  at = Date.now()
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const team = await aTeam(owner)
  const { workspaceId } = owner
  const { id } = await aConnection(owner, secretsFrom(key), {
    ...{ kind: 'github', baseUrl: github.url, credentials: { token } },
  })
  await bindTeam(owner, team.id, id, { project: { id: `${repositoryId}`, key: repository } })

  const memory: number[] = []
  const errors: string[] = []
  const start = () => {
    const child = spawn(
      process.execPath,
      ['--max-old-space-size=80', path.join(import.meta.dirname, 'sweep-process.ts')],
      {
        env: {
          ...process.env,
          ...{ DATABASE_URL: urlOf(database.connection), SECRET_KEY: key, CONNECTION_ALLOW: '127.0.0.1' },
          DATA_DIR: tmpdir(),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    running.add(child)
    child.once('exit', () => running.delete(child))
    createInterface({ input: child.stdout! }).on('line', (line) => memory.push(Number(line)))
    createInterface({ input: child.stderr! }).on('line', (line) => errors.push(line))
    return child
  }
  const listed = () => github.asked.filter(({ path: at }) => at.endsWith('/issues')).length
  const progress: number[] = []
  const imported = async () => {
    // Often enough to see it grow, and not in its way.
    await sleep(200)
    const page = await readMirror(owner, team.slug)
    if (page && page.imported !== progress.at(-1)) progress.push(page.imported)
    return page
  }
  const begun = performance.now()
  let child = start()
  for (const part of [0.1, 0.4]) {
    await until(`${part * 100} % are there`, async () => ((await imported())?.imported ?? 0) > count * part)
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    // After a node dies, others take the mirror a few minutes later: pretend that they have passed.
    await housekeeping(database.db, 'time passes', (tx) =>
      sql`update mirrors set held_until = null where workspace_id = ${workspaceId}`.execute(tables(tx)),
    )
    child = start()
  }
  await until('everything is there', async () => (await imported())?.importedAt != null)
  const seconds = (performance.now() - begun) / 1000
  const requests = listed()
  child.kill('SIGKILL')

  const { rows } = await sql<{ stories: number; issues: number; keys: number; entries: number }>`
    select count(*)::int as stories, count(distinct tracker_key)::int as issues, count(distinct key)::int as keys,
      (select count(*)::int from audit_entries a
        where a.workspace_id = ${workspaceId} and a.event = 'story_changed') as entries
    from stories where workspace_id = ${workspaceId}
  `.execute(tables(database.db))
  const page = await imported()
  context.diagnostic(
    `${count} issues in ${seconds.toFixed(0)} s and ${requests} requests; memory from ${Math.min(...memory)} to ${Math.max(...memory)} MB; progress was shown ${progress.length} times`,
  )
  assert.deepEqual(errors, [])
  assert.deepEqual(rows[0], { stories: count, issues: count, keys: count, entries: count })
  assert.equal(page?.imported, count)
  // Pages meet at their last issue, and each kill costs one page at most.
  assert.ok(requests <= Math.ceil(count / (perPage - 1)) + 4, `${requests} requests`)
  assert.ok(progress.length > 20, 'people see it grow')
  assert.ok(Math.max(...memory) < 300, `${Math.max(...memory)} MB`)
  assert.equal(page?.lastError, null)
})
