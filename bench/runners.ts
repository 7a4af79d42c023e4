import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import { measureBox } from '../runner/box/measure.ts'
import { GitStore } from '../runner/git/store.ts'
import { plainGit } from '../runner/test/origin.ts'
import { change } from '../server/domain/record/audit/change.ts'
import type { Connection } from '../server/infra/db/embedded.ts'
import { secretsFrom } from '../server/infra/secrets.ts'
import { ABareRepository } from '../server/test/engine/bare-repository.ts'
import { TestRunner } from '../server/test/engine/runner.ts'
import { aPolicy, aStory, aTeam } from '../server/test/factories.ts'
import { signedIn } from '../server/test/signed-in.ts'
import { tables } from '../server/test/tables.ts'
import { type Figure, median } from './figures.ts'
import { processorSeconds } from './process.ts'
import { openSite, type Site, secretKey } from './site.ts'

const rounds = 5
const files = 50_000
const idle = { runners: 200, seconds: 60 }
const shared = { teams: 10, stories: 8, slots: 4 }
const streams = { runners: 50, linesASecond: 200, seconds: 20 }

/** What runners cost: our share of a run, a worktree, waiting for work, a slot between two teams, and a log that is printed without pause. */
export async function runnerFigures(cluster: Connection): Promise<Figure[]> {
  return [
    await shareFigure(cluster),
    await worktreeFigure(),
    await idleFigure(cluster),
    await slotFigure(cluster),
    ...(await streamFigures(cluster)),
  ]
}

/** A team whose work is for runners, with stories that no one has begun. */
export async function aWorkingTeam(
  { owner }: Site,
  { slug, address, stories, atOnce }: { slug: string; address: string; stories: number; atOnce: number },
): Promise<void> {
  const team = await aTeam(owner, slug)
  const budgets = { runCents: null, dayCents: null, monthCents: null }
  await aPolicy(owner, team, 'autonomous', { isolation: 'none', maxConcurrency: atOnce, budgets })
  await change(owner, async (tx) => {
    await tables(tx)
      .insertInto('team_repositories')
      .values({
        ...{ workspace_id: owner.workspaceId, team_id: team.id, host: 'local', branch: 'main' },
        ...{ name: 'bench/shop', address },
      })
      .execute()
    return { value: undefined, audit: [] }
  })
  for (let number = 0; number < stories; number += 1) await aStory(owner, team)
}

const script = {
  stories: {
    '*': {
      plan: [[{ result: 'plan.json', json: { plan: 'Write it.', paths: ['notes'], risk: 'low', lines: 1 } }]],
      spec: [
        [
          { result: 'acceptance/note.sh', text: 'test -f notes/{story}.txt && echo "ok - there"\n' },
          {
            result: 'acceptance/manifest.json',
            json: { command: 'sh .kanman/acceptance/{story}/note.sh', files: ['note.sh'] },
          },
        ],
      ],
      implement: [[{ write: 'notes/{story}.txt', text: '{story}\n' }]],
    },
  },
}

/** From the moment a run is taken to its signed evidence, with an agent that needs no time to think. */
async function shareFigure(cluster: Connection): Promise<Figure> {
  const repository = new ABareRepository()
  await repository.push('main', {
    'README.md': 'A shop.\n',
    '.kanman/gates.yml': 'gates:\n  - { name: notes, run: test -f README.md }\n',
  })
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-bench-runner-'))
  await writeFile(path.join(folder, 'script.json'), JSON.stringify(script))
  const site = await openSite(cluster, 'bench_share')
  const stories = rounds + 1
  await aWorkingTeam(site, { slug: 'share', address: repository.bare, stories, atOnce: 1 })
  const server = await site.serve({ GIT_ALLOW: repository.folder })
  const runner = spawn(
    process.execPath,
    [
      ...['runner/main.ts', '--url', server.url, '--name', 'bench', '--data', path.join(folder, 'data')],
      ...['--agents', `scripted=${path.join(folder, 'script.json')}`, '--git-folders', repository.folder],
    ],
    {
      env: { ...process.env, SERVICE_API_KEY: site.token, SIGNALBOX_RUNNER_PARENT: String(process.pid) },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const isGone = once(runner, 'exit')
  const taken = new Map<string, number>()
  let said = ''
  let begun = Number.NaN
  runner.stderr.setEncoding('utf8').on('data', async (text: string) => {
    said += text
    for (const [, run] of text.matchAll(/^(run-\w+): planning /gm)) taken.set(run!, Date.now())
    if (Number.isNaN(begun)) begun = await processorSeconds(runner.pid!)
  })
  const proven = async () =>
    (
      await site.database.pool.query<{ key: string; at: Date; isOver: boolean }>(
        `select r.key, e.recorded_at as at, r.phase = 'succeeded' as "isOver"
        from runs r join attempt_evidence e on e.workspace_id = r.workspace_id and e.run_id = r.id
        order by e.recorded_at`,
      )
    ).rows
  let runs = await proven()
  while (runs.filter(({ isOver }) => isOver).length < stories) {
    if (runner.exitCode !== null || taken.size > stories) throw new Error(`The runner has given up: ${said}`)
    await sleep(200)
    runs = await proven()
  }
  const processor = (await processorSeconds(runner.pid!)) - begun
  runner.kill('SIGTERM')
  await isGone
  await server.stop()
  await site.close()
  repository.remove()
  await rm(folder, { recursive: true, force: true })
  // The first one also brings the repository here and measures its base.
  const took = runs.slice(1).map(({ key, at }) => (at.getTime() - taken.get(key)!) / 1000)
  return {
    what: 'Our share of a run in a small repository: plan, spec seen failing, change, gates, signed evidence, with an agent that does not think',
    ours: `${median(took).toFixed(1)} s, slowest ${Math.max(...took).toFixed(1)} s; to the merge and its check ${(processor / stories).toFixed(1)} s of a processor`,
    target: 'under 3 s',
    met: median(took) < 3,
  }
}

/** A checkout where the last one was: what a run waits for before its agent starts. */
async function worktreeFigure(): Promise<Figure> {
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-bench-git-'))
  const origin = path.join(folder, 'origin')
  await mkdir(origin)
  plainGit(origin, ['init', '--quiet', '--initial-branch=main'])
  const name = (number: number) => `src/part-${number % 500}/file-${number}.ts`
  const commit = (text: string, changed: number[]) => [
    `commit refs/heads/main\nauthor Ada <ada@example.com> 1760000000 +0000\ncommitter Ada <ada@example.com> 1760000000 +0000\ndata 1\nx`,
    ...changed.map((number) => {
      const content = `export const value${number} = '${text} ${'·'.repeat(40)}'\n`
      return `M 644 inline ${name(number)}\ndata ${Buffer.byteLength(content)}\n${content}`
    }),
  ]
  const all = Array.from({ length: files }, (_, number) => number)
  plainGit(
    origin,
    ['fast-import', '--quiet'],
    [...commit('one', all), ...commit('two', all.slice(0, 20))].join('\n'),
  )
  const { box } = await measureBox()
  const options = { allow: [folder], now: () => new Date(), box }
  const store = await (await GitStore.open(path.join(folder, 'store'), options)).forRun('run-aaa1')
  const head = await store.fetch({ address: origin, header: null }, 'main')
  const base = plainGit(origin, ['rev-parse', 'main~1'])
  const time = async (which: string) => {
    const begun = performance.now()
    const worktree = await store.checkout(which)
    const seconds = (performance.now() - begun) / 1000
    await worktree.release()
    return seconds
  }
  const cold = await time(base)
  const warm: number[] = []
  const before = await processorSeconds(process.pid)
  for (let round = 0; round < rounds; round += 1) warm.push(await time(head), await time(base))
  const processor = ((await processorSeconds(process.pid)) - before) / warm.length
  await rm(folder, { recursive: true, force: true })
  return {
    what: `A worktree of ${files.toLocaleString('en')} files where one lies ready, 20 of them different`,
    ours: `${median(warm).toFixed(2)} s, slowest ${Math.max(...warm).toFixed(2)} s; ${processor.toFixed(2)} s of a processor`,
    peer: `the first one: ${cold.toFixed(1)} s`,
    leftOut: 'nothing: the same runner',
    ratio: median(warm) / cold,
    target: 'under 0.5 s',
    met: median(warm) < 0.5,
  }
}

/** Runners with nothing to do, asking as ours does: the next poll when one is over. */
async function idleFigure(cluster: Connection): Promise<Figure> {
  const site = await openSite(cluster, 'bench_idle_runners')
  const server = await site.serve()
  const over = new AbortController()
  const share = async () => {
    const before = await processorSeconds(server.pid)
    await sleep(idle.seconds * 1000)
    return ((await processorSeconds(server.pid)) - before) / idle.seconds
  }
  await sleep(3_000)
  const alone = await share()
  const polls: Promise<void>[] = []
  for (let number = 0; number < idle.runners; number += 1) {
    const runner = new TestRunner(server.url, site.token, { name: `idle-${number}` })
    const { pollSeconds } = await runner.register()
    const ask = randomUUID()
    const poll = async () => {
      while (!over.signal.aborted) {
        const headers = { prefer: `wait=${pollSeconds}` }
        const response = await runner.call('acquire', { ask, free: 2 }, { headers, signal: over.signal })
        if (response.status !== 204) throw new Error(`acquire: ${response.status}`)
      }
    }
    polls.push(poll().catch((error) => (over.signal.aborted ? undefined : Promise.reject(error))))
    // Machines do not start at the same moment.
    await sleep(20)
  }
  await sleep(3_000)
  const together = await share()
  over.abort()
  await Promise.all(polls)
  await server.stop()
  await site.close()
  return {
    what: `${idle.runners} idle runners, over ${idle.seconds} s`,
    ours: `${((together - alone) * 100).toFixed(2)} % of a core`,
    peer: `the server without any: ${(alone * 100).toFixed(2)} %`,
    leftOut: 'nothing: the same server',
    target: 'under 2 %',
    met: together - alone < 0.02,
  }
}

/** From the end of one team's work to the beginning of the next one's, while stories wait in all of them. */
export async function slotFigure(cluster: Connection): Promise<Figure> {
  const site = await openSite(cluster, 'bench_slots')
  const { teams, stories, slots } = shared
  for (let number = 0; number < teams; number += 1)
    await aWorkingTeam(site, {
      ...{ slug: `slots-${number}`, address: '/srv/git/none.git', stories, atOnce: slots },
    })
  const server = await site.serve()
  const runner = new TestRunner(server.url, site.token, { name: 'slots', slots })
  await runner.register()
  const idleMs: number[] = []
  const served = new Map<string, number>()
  const take = async () => {
    const order = await runner.acquire(randomUUID(), 20)
    if (!order) throw new Error('A slot is idle, and stories wait.')
    served.set(order.team, (served.get(order.team) ?? 0) + 1)
    return order
  }
  const held: Order[] = []
  while (held.length < slots) held.push(await take())
  // The last ones leave nothing that waits.
  for (let left = teams * stories - 2 * slots; left > 0; left -= 1) {
    await runner.report(held.shift()!, [
      1,
      { type: 'failed', failureClass: 'persistent', error: 'It cannot be done.' },
    ])
    const freeAt = performance.now()
    held.push(await take())
    idleMs.push(performance.now() - freeAt)
  }
  await server.stop()
  await site.close()
  const counts = [...served.values()]
  const slowest = Math.max(...idleMs)
  return {
    what: `A slot that is idle while stories wait: ${teams} teams, ${slots} slots`,
    ours: `${median(idleMs).toFixed(0)} ms, longest ${slowest.toFixed(0)} ms; each team was served ${Math.min(...counts)} to ${Math.max(...counts)} times`,
    target: 'at most 1 s',
    met: slowest <= 1_000,
  }
}

/** Runners whose agents print without pause, each log open in the app. */
async function streamFigures(cluster: Connection): Promise<Figure[]> {
  const site = await openSite(cluster, 'bench_streams')
  const { runners: count, linesASecond, seconds } = streams
  await aWorkingTeam(site, { slug: 'streams', address: '/srv/git/none.git', stories: count, atOnce: count })
  const server = await site.serve()
  const { rows } = await site.database.pool.query<{ slug: string }>('select slug from workspaces')
  const slug = rows[0]!.slug
  const owner = { ...site.owner, slug } as Parameters<typeof signedIn>[1]
  const storage = { db: site.database.db, secrets: secretsFrom(secretKey) }
  const { cookie } = await signedIn({ url: server.url, storage }, owner)
  const working: { runner: TestRunner; order: Order }[] = []
  for (let number = 0; number < count; number += 1) {
    const runner = new TestRunner(server.url, site.token, { name: `streams-${number}`, slots: 1 })
    await runner.register()
    const order = await runner.acquire()
    if (!order) throw new Error('There is no order left.')
    working.push({ runner, order })
  }
  const over = new AbortController()
  const total = linesASecond * seconds
  const pages = working.map(({ order }) =>
    readPage(`${server.url}/api/w/${slug}/runs/${order.run}/log`, cookie, total, over.signal),
  )
  const before = await processorSeconds(server.pid)
  const begun = performance.now()
  const printed = Promise.all(working.map((one, number) => print(one, number / count)))
  const beats = setInterval(() => {
    for (const { runner, order } of working) void runner.beat([order])
  }, 15_000)
  await printed
  const lasted = (performance.now() - begun) / 1000
  const deadline = setTimeout(() => over.abort(), 60_000)
  const seen = await Promise.all(pages)
  clearTimeout(deadline)
  clearInterval(beats)
  const took = (performance.now() - begun) / 1000
  // Of the time in which they should be printed: a machine that is too busy for that takes longer, with the same work.
  const share = ((await processorSeconds(server.pid)) - before) / seconds
  over.abort()
  await server.stop()
  await site.close()
  const inOrder = seen.reduce((sum, lines) => sum + lines, 0)
  const rate = Math.round((total * count) / lasted)
  return [
    {
      what: `${count} runners printing ${linesASecond} lines a second each, every log open: processor of the server`,
      ours: `${(share * 100).toFixed(0)} % of a core; ${rate.toLocaleString('en')} lines a second were printed`,
      target: 'under one core',
      met: share < 1,
    },
    {
      what: 'Lines of them that arrived at the open pages, in their order',
      ours: `${inOrder.toLocaleString('en')} of ${(total * count).toLocaleString('en')}, the last ${((took - lasted) * 1000).toFixed(0)} ms after it was printed`,
      target: 'all',
      met: inOrder === total * count,
    },
  ]
}

/** As our runner sends what its agent prints: what has come in 0.3 s, compressed, one chunk after the other. */
async function print({ runner, order }: { runner: TestRunner; order: Order }, phase: number): Promise<void> {
  const { linesASecond, seconds } = streams
  const linger = 0.3
  const each = Math.round(linesASecond * linger)
  await sleep(phase * linger * 1000)
  const begun = performance.now()
  let line = 0
  for (let number = 1; line < linesASecond * seconds; number += 1) {
    const lines = Array.from(
      { length: Math.min(each, linesASecond * seconds - line) },
      (_, index) => `line ${line + index + 1} of what an agent prints while it works`,
    )
    line += lines.length
    const wait = begun + number * linger * 1000 - performance.now()
    if (wait > 0) await sleep(wait)
    const response = await runner.call(`orders/${order.run}/${order.fence}/log`, undefined, {
      body: gzipSync(JSON.stringify({ number, lines })),
      headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
    })
    if (response.status !== 200) throw new Error(`log: ${response.status} ${await response.text()}`)
    await response.arrayBuffer()
  }
}

/** How many lines came, each as the next of the one before. */
async function readPage(url: string, cookie: string, total: number, signal: AbortSignal): Promise<number> {
  let seen = 0
  try {
    const response = await fetch(url, { headers: { cookie }, signal })
    if (response.status !== 200) throw new Error(`${url}: ${response.status}`)
    let rest = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      rest += chunk
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(rest.slice(0, end))?.[1]
        rest = rest.slice(end + 2)
        const { lines = [] } = data ? (JSON.parse(data) as { lines?: unknown[] }) : {}
        for (const line of lines) {
          const number = Number(/line (\d+) of/.exec(JSON.stringify(line))?.[1])
          if (number !== seen + 1) return seen
          seen = number
        }
      }
      if (seen >= total) return seen
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return seen
}
