import { execFile } from 'node:child_process'
import { type Browser, chromium } from 'playwright-core'

interface Found {
  path: string
  /** For where it does not start otherwise, as in a container that forbids its processes to give up rights. */
  cramped: string[] | null
}

/** It only opens our pages, and root cannot have its sandbox. */
const quiet = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** From a machine's own packages, where npm has no browser for it. */
const installed = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** A browser that starts on this machine; null where there is none. */
export async function findBrowser(): Promise<Found | null> {
  for await (const found of candidates()) if (await starts(found.path)) return found
  return null
}

async function* candidates(): AsyncGenerator<Found> {
  const given = process.env.CHROMIUM_PATH
  if (given) yield { path: given, cramped: null }
  if (process.platform === 'linux' && process.arch === 'x64') {
    const { default: packed } = await import('@sparticuz/chromium')
    yield { path: await packed.executablePath(), cramped: packed.args }
  }
  for (const path of installed) yield { path, cramped: null }
}

/** One that is not there, or lacks a library, says so at once. */
const starts = (path: string): Promise<boolean> =>
  new Promise((resolve) =>
    execFile(path, ['--no-sandbox', '--version'], { timeout: 20_000 }, (error) =>
      resolve(!error || error.killed === true),
    ),
  )

export async function launchBrowser({ path, cramped }: Found, more: string[] = []): Promise<Browser> {
  const args = [...quiet, ...more]
  try {
    return await chromium.launch({ executablePath: path, args })
  } catch (error) {
    if (!cramped) throw error
    return chromium.launch({ executablePath: path, args: [...cramped, ...args] })
  }
}

/** Asked to close, it has taken minutes on a busy machine; and nothing in it is to be kept. */
export async function killBrowser(browser: Browser): Promise<void> {
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo')
  for (const { type, id } of processInfo) if (type === 'browser') process.kill(id, 'SIGKILL')
  // It is gone then: what is left is to clear away its folder.
  await browser.close()
}

// Run on its own before the tests: the browser from npm is unpacked once, not by two files at the same moment.
if (import.meta.main) {
  const found = await findBrowser()
  if (!found && process.argv.includes('--needed')) process.exitCode = 1
}
