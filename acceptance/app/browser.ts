import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import axe from 'axe-core'
import type { Browser, BrowserContext, Download, Page, Request } from 'playwright-core'
import { patienceMs } from '../../server/test/patience.ts'
import { type Serving, until } from '../demo.ts'
import { findBrowser, killBrowser, launchBrowser } from './launch-browser.ts'

/** The product as a person sees it: a real browser, on the real server. */

const found = await findBrowser()

/** Why the tests of a file cannot run here; false when they can. Where one is required, its absence is a failure. */
export const withoutBrowser: string | false =
  found || process.env.REQUIRE_BROWSER
    ? false
    : 'no browser: install Chromium (Debian: apt install chromium-headless-shell) or set CHROMIUM_PATH'

let browser: Promise<Browser> | undefined
after(async () => browser && killBrowser(await browser))

function theBrowser(): Promise<Browser> {
  assert.ok(found, 'A browser is needed: install Chromium or set CHROMIUM_PATH.')
  browser ??= launchBrowser(found)
  return browser
}

export interface Tab extends Page {
  /** What the page complained of: console errors, exceptions, breaches of the content security policy. */
  complaints: string[]
  /** What it has asked for and not been answered yet; the stream of news is always open. */
  asking: Set<Request>
}

export interface WindowOptions {
  width?: number
  theme?: 'light' | 'dark'
}

/** Phones are held upright. */
export const heightAt = (width: number): number => (width < 500 ? 780 : 860)

/** A window of its own, with its own cookies. */
export async function openWindow(options: WindowOptions = {}): Promise<BrowserContext> {
  const { width = 1280, theme = 'light' } = options
  const context = await (await theBrowser()).newContext({
    viewport: { width, height: heightAt(width) },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  context.setDefaultTimeout(patienceMs)
  return context
}

/** A tab that keeps what its page complains of. */
export async function openTab(context: BrowserContext): Promise<Tab> {
  const page = (await context.newPage()) as Tab
  page.complaints = []
  page.on('console', (message) => {
    if (message.type() === 'error') page.complaints.push(message.text())
  })
  page.asking = new Set()
  page.on('request', (request) => {
    if (request.resourceType() !== 'eventsource') page.asking.add(request)
  })
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', (request) => void page.asking.delete(request))
  page.on('pageerror', (error) => page.complaints.push(String(error)))
  return page
}

type Person = keyof Serving['started']['people']

/** Signs in as a person does, through the form. */
export async function signIn(
  page: Page,
  demo: Serving,
  person: Person = 'owner',
  next = '',
  url = demo.started.url,
): Promise<void> {
  const { email, password } = demo.started.people[person]
  await page.goto(`${url}/login${next ? `?next=${encodeURIComponent(next)}` : ''}`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/login'))
}

/** An empty tab in which someone is signed in: by a request, where the form is not what a test is about. */
export async function signedInTab(
  demo: Serving,
  person: Person = 'owner',
  options: WindowOptions = {},
): Promise<Tab> {
  const tab = await openTab(await openWindow(options))
  const { url, people } = demo.started
  const { email, password } = people[person]
  const reply = await tab.request.post(`${url}/api/auth/sign-in/email`, {
    data: { email, password },
    headers: { origin: url },
  })
  assert.equal(reply.status(), 200, await reply.text())
  return tab
}

/** A device that holds passkeys and knows its owner, as far as the browser can tell. */
export async function withAuthenticator(tab: Tab): Promise<void> {
  const session = await tab.context().newCDPSession(tab)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** The address of a screen of the demo's workspace. */
export const screen = (demo: Serving, path: string): string =>
  `${demo.started.url}/${demo.started.workspace}/${path}`

/**
 * To another screen of the app that the tab shows, as a link in it leads there. Loading the app again costs as much as
 * what most tests do on a screen. The router is in the window, and its navigation is over when the screen is drawn;
 * before that a test would find the old one.
 */
export async function follow(tab: Tab, url: string): Promise<void> {
  const { pathname, search } = new URL(url)
  await tab.evaluate(`(async () => {
    const router = __TSR_ROUTER__
    await router.navigate({ href: ${JSON.stringify(pathname + search)} })
    const isDrawn = () => router.state.status === 'idle' && router.state.resolvedLocation?.href === router.state.location.href
    while (!isDrawn()) await new Promise((resolve) => requestAnimationFrame(resolve))
  })()`)
}

/** Presses a key until the page shows that it was heard: it may be drawn a moment before it listens. */
export const pressUntil = (
  tab: Tab,
  key: string,
  what: string,
  isHeard: () => Promise<boolean>,
): Promise<void> =>
  until(what, async () => {
    const done = await isHeard()
    if (!done) await tab.keyboard.press(key)
    return done
  })

/** Chooses an option of a decision by its number, which shows what would happen. Enter sends it. */
export const choose = (tab: Tab, decision: string, number: number): Promise<void> => {
  const send = tab.locator(`[aria-describedby="says-${decision}"][aria-disabled="false"]:focus`)
  return pressUntil(tab, String(number), `${decision} can be sent`, () => send.isVisible())
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe finds wrong with the page, in a line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // A megabyte, which a page needs to be told once.
  const isNew = !(await page.evaluate('"axe" in window'))
  if (isNew) await page.evaluate(axe.source)
  const options: axe.RunOptions = {
    runOnly: { type: 'tag', values: rules },
    resultTypes: ['violations'],
    // Stylesheets are read for one rule, and are the same on every screen that a page comes to.
    preload: isNew,
    // What is found is told by its HTML: the way to every element is not needed.
    ...{ selectors: false, elementRef: false },
  }
  // Put into words over there: all that axe has looked at is a megabyte, too.
  const inWords = `({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => id + ': ' + html.slice(0, 200)))`
  return (await page.evaluate(`axe.run(${JSON.stringify(options)}).then(${inWords})`)) as string[]
}

/** No console error, no exception, no breach of the content security policy. */
export function assertQuiet(tab: Tab, expected?: RegExp): void {
  assert.deepEqual(
    tab.complaints.filter((complaint) => !expected?.test(complaint)),
    [],
  )
}

/** What of the page is still to come, in words; empty: it has settled. */
async function unsettled(tab: Tab): Promise<string[]> {
  const seen =
    (await tab.evaluate(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    .then(() => [
      document.querySelector('h1') ? '' : 'no heading',
      document.querySelector('[aria-label="Loading"], .animate-pulse') ? 'a skeleton' : '',
      document.querySelector('[aria-busy="true"]') ? 'something busy' : '',
      document.querySelector('[data-interim]') ? 'text that is not rendered yet' : '',
      document.fonts.status === 'loaded' ? '' : 'fonts on their way',
    ])`)) as string[]
  const asking = [...tab.asking].map((request) => `an answer to ${new URL(request.url()).pathname}`)
  return [...seen, ...asking].filter(Boolean)
}

/** The heading is there, nothing is being loaded any more, and all of it is drawn. */
export async function settled(tab: Tab, withinMs = patienceMs): Promise<void> {
  const until = performance.now() + withinMs
  // An answer may make the page ask again: it has settled when two looks in a row find nothing.
  let [before, now] = [['not looked yet'], await unsettled(tab)]
  while (before.length + now.length > 0) {
    assert.ok(performance.now() < until, `the screen has not settled: there is ${now.join(', ')}`)
    ;[before, now] = [now, await unsettled(tab)]
  }
}

/** What is seen once the screen has settled, as a file. */
export async function keepPicture(tab: Tab, file: string, withinMs?: number): Promise<void> {
  await settled(tab, withinMs)
  const session = await tab.context().newCDPSession(tab)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  await session.detach()
  const since = await unsettled(tab)
  // News may have come between the two: what was drawn then is not known.
  if (since.length > 0) return keepPicture(tab, file, withinMs)
  await writeFile(file, Buffer.from(data, 'base64'))
}

/** What was downloaded, wherever the browser has put it. */
export const readDownload = async (download: Download): Promise<string> =>
  text(await download.createReadStream())
