import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBrowser, killBrowser, launchBrowser } from '../acceptance/app/launch-browser.ts'
import { sweepNow } from '../server/domain/reach/mirror/sweep-now.ts'
import { connect } from '../server/domain/tools/connections/connect.ts'
import { makeWebhook } from '../server/domain/tools/connections/make-webhook.ts'
import { bindTracker } from '../server/domain/work/bindings/bind-tracker.ts'
import { systemClock } from '../server/infra/clock.ts'
import type { Connection } from '../server/infra/db/embedded.ts'
import { secretsFrom } from '../server/infra/secrets.ts'
import { callerFor } from '../server/integrations/connections/call.ts'
import { connectorsWith } from '../server/integrations/connections/connectors.ts'
import { githubSite } from '../server/test/doubles/sites/github.ts'
import { ABareRepository } from '../server/test/engine/bare-repository.ts'
import { signedIn } from '../server/test/signed-in.ts'
import { type Figure, median } from './figures.ts'
import { openSite, type Site, secretKey } from './site.ts'

const issues = 10_000
/** GitHub allows 5,000 requests an hour. */
const requestMs = 720
const edits = 20

/** A first import at the pace of the tool's limit, then changes by webhook, then a sweep that finds nothing. */
export async function connectionFigures(cluster: Connection, count = issues): Promise<Figure[]> {
  const git = new ABareRepository()
  await git.push('main', { 'a.txt': 'a\n' })
  const site = await openSite(cluster, 'bench_connections')
  // Old ones: what changed in the last minutes is read again by every sweep.
  let ago = 3_600_000
  const clock = { now: () => new Date(Date.now() - ago) }
  const github = await githubSite({ repository: 'bench/issues', git, clock })
  for (let number = 1; number <= count; number += 1)
    github.open({
      title: `Issue ${number} of many`,
      text: `What is wrong in case ${number}, and how to see it.`,
    })
  ago = 0
  const { double } = github
  const paced = async () => void (await sleep(requestMs))
  const secrets = secretsFrom(secretKey)
  const call = callerFor({ allow: ['127.0.0.1'], clock: systemClock })
  const tools = { connectors: connectorsWith(call), secrets }
  const { owner } = site
  const { id: connection } = await connect(owner, tools, {
    ...{ kind: 'github', name: 'GitHub', baseUrl: double.url, credentials: github.credentials },
  })
  const project = { id: `${double.repositories[0]!.id}`, key: 'bench/issues' }
  double.delay = paced
  const server = await site.serve({ CONNECTION_ALLOW: '127.0.0.1' })
  const get = async <T>(path: string) =>
    (await (
      await fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${site.token}` } })
    ).json()) as T

  const before = await processorSeconds(server.pid)
  const begun = performance.now()
  await bindTracker(owner, tools, 'bench-0', { connection, project })
  const last = () => get<{ key?: string }>(`/v1/stories/${prefix}-${count}`)
  const { keyPrefix: prefix } = await get<{ keyPrefix: string }>('/v1/teams/bench-0')
  while (!(await last()).key) await sleep(500)
  const seconds = (performance.now() - begun) / 1000
  const share = ((await processorSeconds(server.pid)) - before) / seconds
  double.delay = null

  const scope = { id: project.id, name: project.key }
  await makeWebhook(owner, { ...tools, publicUrl: () => server.url }, connection, scope)
  const latencies: number[] = []
  // The newest: they stay below those that the board is watched for.
  for (let number = count; number > count - edits; number -= 1) {
    const changed = performance.now()
    github.markReady(`${number}`)
    while (
      (await get<{ column: { role: string } }>(`/v1/stories/${prefix}-${number}`)).column.role !== 'ready'
    )
      await sleep(5)
    latencies.push(performance.now() - changed)
  }

  const board = await boardLatencies(site, server.url, `${prefix}-`, (number) =>
    github.markReady(`${number}`),
  )

  /** The one after a change still sees it; then nothing changes any more. */
  const sweep = async () => {
    const asked = double.asked.length
    await sweepNow(owner, 'bench-0')
    while (double.asked.length === asked) await sleep(50)
    await sleep(3_000)
    return double.asked.slice(asked).length
  }
  await sweep()
  await sweep()
  const requests = await sweep()
  await server.stop()
  await github.stop()
  await site.close()
  git.remove()
  return [
    {
      what: `${count.toLocaleString('en')} issues imported at the 5,000 requests an hour that GitHub allows: processor of the server`,
      ours: `${(share * 100).toFixed(0)} % of a core, ${seconds.toFixed(0)} s`,
      ...{ target: 'under half a core', met: share < 0.5 },
    },
    {
      what: 'A change at the tool, by webhook, until readers see it',
      ours: `p50 ${median(latencies).toFixed(0)} ms, longest ${Math.max(...latencies).toFixed(0)} ms`,
      ...{ target: 'under 1 s', met: Math.max(...latencies) < 1_000 },
    },
    ...(board
      ? [
          {
            what: `A change at the tool, by webhook, until the board of ${count.toLocaleString('en')} stories in an open browser shows it`,
            ours: `p50 ${median(board).toFixed(0)} ms, longest ${Math.max(...board).toFixed(0)} ms`,
            ...{ target: 'under 1 s', met: Math.max(...board) < 1_000 },
          },
        ]
      : []),
    {
      what: 'A sweep that finds nothing: requests to the tool',
      ours: `${requests}`,
      ...{ target: '1', met: requests === 1 },
    },
  ]
}

/**
 * How long until a card can be seen in another column of an open page, by the page's own clock: within the window, with
 * nothing over it, and in a frame that has been painted. Each lands above the ones before it, where no scrolling is needed.
 * Null: there is no browser here.
 */
async function boardLatencies(
  site: Site,
  url: string,
  prefix: string,
  change: (number: number) => void,
): Promise<number[] | null> {
  const found = await findBrowser()
  if (!found) return null
  const { rows } = await site.database.pool.query<{ slug: string }>('select slug from workspaces')
  const { slug } = rows[0]!
  const owner = { ...site.owner, slug } as Parameters<typeof signedIn>[1]
  const storage = { db: site.database.db, secrets: secretsFrom(secretKey) }
  const { cookie } = await signedIn({ url, storage }, owner)
  const [name, ...value] = cookie.split('=') as [string, ...string[]]
  const browser = await launchBrowser(found)
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
    await context.addCookies([{ name, value: value.join('='), url }])
    const page = await context.newPage()
    await page.goto(`${url}/${slug}/teams/bench-0/board`)
    await page.locator('[data-column=ready] [data-card]').first().waitFor()
    const latencies: number[] = []
    for (let number = edits; number > 0; number -= 1) {
      const card = `[data-column=ready] [data-card="${prefix}${number}"]`
      const shown = page.evaluate(`new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error('${prefix}${number} was never seen on the board.')), 60_000)
        const isSeen = () => {
          const card = document.querySelector(${JSON.stringify(card)})
          if (!card) return false
          const { left, top, bottom, width, height } = card.getBoundingClientRect()
          const there = document.elementFromPoint(left + width / 2, top + height / 2)
          return top >= 0 && bottom <= innerHeight && card.contains(there)
        }
        const watch = new MutationObserver(() => {
          if (!isSeen()) return
          watch.disconnect()
          // The first is called before that frame is painted, the second after it.
          requestAnimationFrame(() =>
            requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now())))
        })
        watch.observe(document.body, { childList: true, subtree: true })
      })`) as Promise<number>
      // It watches by then: the page answers one question after the other.
      await page.evaluate('0')
      const changed = performance.timeOrigin + performance.now()
      change(number)
      latencies.push((await shown) - changed)
    }
    return latencies
  } finally {
    await killBrowser(browser)
  }
}

/** User and system time, where the system tells it. */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
