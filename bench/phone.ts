import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { findBrowser, launchBrowser } from '../acceptance/app/launch-browser.ts'
import { installed } from '../server/test/install-once.ts'
import { startDemo } from './demo.ts'
import { type Figure, median, table } from './figures.ts'

/**
 * How the app feels on a phone: Lighthouse with the slow phone that it simulates, on screens of the demo. It is not
 * among the dependencies, because it is as large as all of them together.
 */

const lighthouseVersion = '13.5.0'
const loads = 3
const least = { score: 90, shift: 0.02 }

type Measure = 'first-contentful-paint' | 'largest-contentful-paint' | 'total-blocking-time' | 'speed-index'
type Audited = Record<Measure | 'cumulative-layout-shift', { numericValue: number }>
interface Result {
  categories: { performance: { score: number } }
  audits: Audited
  /** How fast it found the machine to be. */
  environment: { benchmarkIndex: number }
}
type Lighthouse = (url: string, flags: object) => Promise<{ lhr: Result }>

export async function phoneFigures(): Promise<Figure[]> {
  const found = await findBrowser()
  if (!found) return []
  const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-phone-'))
  // It stays as it is made, so that each load shows the same.
  const demo = await startDemo(folder, { DEMO_PACE: '0.1', RATE_LIMIT_PER_MINUTE: '1000000' })
  const port = await freePort()
  const browser = await launchBrowser(found, [`--remote-debugging-port=${port}`])
  try {
    const lighthouse = await loadLighthouse()
    const started: Demo = JSON.parse(demo.line)
    const cookie = await signIn(started)
    const figures: Figure[] = []
    for (const [name, address, isInside] of await screens(started, cookie)) {
      const results: Result[] = []
      for (let load = 0; load < loads; load += 1) {
        const flags = { port, onlyCategories: ['performance'], logLevel: 'error' }
        const { lhr } = await lighthouse(
          `${started.url}/${address}`,
          isInside ? { ...flags, extraHeaders: { cookie } } : flags,
        )
        results.push(lhr)
      }
      const typical = (audit: keyof Audited) =>
        median(results.map(({ audits }) => audits[audit].numericValue))
      const scores = results.map(({ categories }) => Math.round(categories.performance.score * 100))
      const shift = typical('cumulative-layout-shift')
      figures.push({
        what: `${name} on a phone, median of ${loads}`,
        ours: `${median(scores)} of 100 (${scores.toSorted((a, b) => a - b).join(', ')}); first paint ${seconds(typical('first-contentful-paint'))}, largest ${seconds(typical('largest-contentful-paint'))}, blocked ${Math.round(typical('total-blocking-time'))} ms, layout shift ${shift.toFixed(3)}; machine index ${Math.round(median(results.map(({ environment }) => environment.benchmarkIndex)))}`,
        target: `at least ${least.score}, shift at most ${least.shift}`,
        met: median(scores) >= least.score && shift <= least.shift,
      })
    }
    return figures
  } finally {
    await browser.close()
    await demo.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

interface Demo {
  url: string
  workspace: string
  people: { owner: { email: string; password: string } }
}

/** What people open most: an address for each, of things that the demo has. */
async function screens({ url, workspace }: Demo, cookie: string): Promise<[string, string, boolean][]> {
  const ask = async <T>(read: string): Promise<T> =>
    (await (await fetch(`${url}/api/w/${workspace}/${read}`, { headers: { cookie } })).json()) as T
  const [team] = await ask<{ slug: string }[]>('teams.list')
  const [run, incident] = await Promise.all(
    ['runs.list?status=waiting&limit=1', 'incidents.list?status=open&limit=1'].map(
      async (list) => (await ask<{ data: { key: string }[] }>(list)).data[0]!,
    ),
  )
  return [
    ['Sign-in', 'login', false],
    ['Inbox', `${workspace}/inbox`, true],
    ['Board', `${workspace}/teams/${team!.slug}/board`, true],
    ['Run', `${workspace}/runs/${run!.key}`, true],
    ['Incident', `${workspace}/incidents/${incident!.key}`, true],
  ]
}

async function signIn({ url, people }: Demo): Promise<string> {
  const reply = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify(people.owner),
  })
  return reply.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
}

async function loadLighthouse(): Promise<Lighthouse> {
  const folder = installed('lighthouse', `lighthouse@${lighthouseVersion}`)
  const entry = path.join(folder, 'node_modules', 'lighthouse', 'core', 'index.js')
  return (await import(pathToFileURL(entry).href)).default
}

/** Lighthouse wants the port of the browser before it starts. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

// `npm run bench:phone`: these rows alone.
if (import.meta.main) {
  const figures = await phoneFigures()
  const load = loadavg()[0]!.toFixed(1)
  process.stdout.write(
    `${table(figures)}\n\nLighthouse ${lighthouseVersion}, load of the machine at the end: ${load}\n`,
  )
}
