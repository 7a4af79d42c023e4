import type { Page } from 'playwright-core'
import { findBrowser, launchBrowser } from '../acceptance/app/launch-browser.ts'
import type { Connection } from '../server/infra/db/embedded.ts'
import { secretsFrom } from '../server/infra/secrets.ts'
import { signedIn } from '../server/test/signed-in.ts'
import { boardFigure } from './board.ts'
import { type Figure, median } from './figures.ts'
import { logFigure } from './log.ts'
import { openSite, secretKey } from './site.ts'

const waiting = 500
const loads = 7
const presses = 120

/** The app in a real browser: how long until the inbox can be used, how long a key takes, and how calm a log is. */
export async function appFigures(cluster: Connection): Promise<Figure[]> {
  const found = await findBrowser()
  if (!found) return []
  const site = await openSite(cluster, 'bench_app')
  await site.addWaiting(waiting)
  const server = await site.serve()
  const { rows } = await site.database.pool.query<{ slug: string }>('select slug from workspaces')
  const slug = rows[0]!.slug
  const owner = { ...site.owner, slug } as Parameters<typeof signedIn>[1]
  const storage = { db: site.database.db, secrets: secretsFrom(secretKey) }
  const { cookie } = await signedIn({ url: server.url, storage }, owner)
  const [name, ...value] = cookie.split('=') as [string, ...string[]]
  const browser = await launchBrowser(found)
  /** A window that has never been here. */
  const fresh = async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
    await context.addCookies([{ name, value: value.join('='), url: server.url }])
    return context.newPage()
  }
  const inbox = `${server.url}/${slug}/inbox`
  try {
    const cold: number[] = []
    for (let load = 0; load < loads; load += 1) {
      const page = await fresh()
      const begun = performance.now()
      await page.goto(inbox, { waitUntil: 'commit' })
      await page.getByRole('listbox').getByRole('option').first().waitFor()
      cold.push(performance.now() - begun)
      await page.context().close()
    }
    const page = await fresh()
    await page.goto(inbox)
    await page.getByRole('listbox').getByRole('option').first().waitFor()
    const keys = await keyTimes(page)
    const log = await logFigure(site, await fresh(), (run) => `${server.url}/${slug}/runs/${run}?tab=logs`)
    const board = await boardFigure(
      site,
      await fresh(),
      (team) => `${server.url}/${slug}/teams/${team}/board`,
    )
    const [typical, slow] = [median(keys), keys.toSorted((a, b) => a - b)[Math.floor(keys.length * 0.95)]!]
    return [
      {
        what: `Inbox with ${waiting} decisions, from an empty cache to its first row`,
        ours: `${Math.round(median(cold))} ms, slowest ${Math.round(Math.max(...cold))} ms`,
        target: 'under 1 s',
        met: median(cold) < 1_000,
      },
      {
        what: `j and k among ${waiting} decisions, from the key to the frame that shows it`,
        ours: `${typical.toFixed(0)} ms, 95 of 100 within ${slow.toFixed(0)} ms`,
        target: 'under 50 ms',
        met: typical < 50,
      },
      log,
      board,
    ]
  } finally {
    await browser.close()
    await server.stop()
    await site.close()
  }
}

/** From the moment a key goes down to the frame after the selection has moved, as the page itself sees it. */
async function keyTimes(page: Page): Promise<number[]> {
  await page.evaluate(`
    window.keyTimes = []
    let pressed = 0
    addEventListener('keydown', () => { pressed = performance.now() }, true)
    new MutationObserver((changes) => {
      if (!pressed || !changes.some(({ target }) => target.ariaSelected === 'true')) return
      const from = pressed
      pressed = 0
      requestAnimationFrame(() => window.keyTimes.push(performance.now() - from))
    }).observe(document.querySelector('[role=listbox]'), { subtree: true, childList: true, attributeFilter: ['aria-selected'] })
  `)
  for (let press = 0; press < presses; press += 1) await page.keyboard.press(press % 4 === 3 ? 'k' : 'j')
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  return page.evaluate('window.keyTimes') as Promise<number[]>
}
