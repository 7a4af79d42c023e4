import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { shellLinesIn } from '@signalbox/contract/shell-lines.ts'
import { trimEnd } from '@signalbox/contract/trim-end.ts'
import { putIntoHome } from '../agents/home.ts'
import { HeldFolder } from '../disk/held-folder.ts'
import { execute, type Place, type Room } from '../gates/execute.ts'

/** What the Demonstrate block of a story came to, as text for people. */
export interface Demonstration {
  text: string
  /** File names in the result folder. */
  screenshots: string[]
}

const mostOfText = 20_000
const timeoutSeconds = 300
const waitSeconds = 20

/**
 * Executes the shell lines of the block in the box and records what they print; null where there is nothing to execute
 * or to see. A page is looked at only where a browser is on this machine, and where not, that is said.
 */
export async function demonstrate(
  block: string,
  worktree: string,
  room: Room,
  browser: string | null = findBrowser(),
): Promise<Demonstration | null> {
  const scripts = shellLinesIn(block)
  const pages = pagesIn(block)
  if (scripts.length === 0 && pages.length === 0) return null
  return room.inPlace(null, (place) => show(scripts, pages, worktree, place, room, browser))
}

async function show(
  scripts: string[],
  pages: string[],
  worktree: string,
  { home, out }: Place,
  room: Room,
  browser: string | null,
): Promise<Demonstration> {
  const shots = browser && out ? pages.filter(isLocal) : []
  const parts: string[] = []
  // One box for all of it: what an earlier line has started is still there for a later one, and for the browser.
  const file = path.join(home, 'demonstrate.sh')
  const inside = (name: string) => room.box.inside(name, room.limits(worktree, { home, out }))
  const looks = shots.map((page, at) => lookAt(page, browser!, inside(path.join(out!, nameOf(at)))))
  // The home is new, so it contains no planted link.
  putIntoHome(home, path.basename(file), `${start}\n${scripts.join('\n')}\n${looks.join('')}`)
  const ran = await execute(
    room,
    worktree,
    { home, out },
    {
      // As it reads each line it says it, so that the record reads like a terminal.
      run: `$(command -v bash || echo sh) -v ${quoted(inside(file))} 2>&1`,
      folder: '.',
      timeoutSeconds,
      network: 'none',
    },
  )
  // A child that is ended before it has become what it should run says the last line, too.
  const ours = ran.output.replace(`${start}\n`, '').replaceAll(`${stop}\n`, '')
  const said = ours.split(startOfLooks)[0]!.trim()
  if (scripts.length > 0) {
    parts.push(cut(said))
    if (ran.stopped === 'timeout') parts.push(`Stopped after ${timeoutSeconds} seconds.`)
    else if (ran.code !== 0 && looks.length === 0) parts.push(`It ended with ${ran.code ?? 'a signal'}.`)
  }
  using results = out === null ? null : HeldFolder.open(out)
  const taken = shots.map((_, at) => results?.kind(nameOf(at)) === 'file')
  for (const page of pages) {
    const at = shots.indexOf(page)
    if (at >= 0 && taken[at]) parts.push(`Screenshot of ${page}: ${nameOf(at)}.`)
    else parts.push(`No screenshot of ${page} was taken: ${whyNot(page, browser, out)}.`)
  }
  return { text: parts.join('\n\n'), screenshots: shots.flatMap((_, at) => (taken[at] ? [nameOf(at)] : [])) }
}

/** What was started beside it ends with it. */
const stop = 'kill $(jobs -p) 2>/dev/null'
const start = `trap '${stop}' EXIT`
const startOfLooks = ': signalbox looks at a page'
const nameOf = (at: number) => `page-${at + 1}.png`
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function whyNot(page: string, browser: string | null, out: string | null): string {
  if (!browser) return 'there is no browser on the machine of the runner'
  if (!out) return 'there is nowhere to leave it'
  return isLocal(page) ? 'nothing answered there' : 'it is not served by the demonstration itself'
}

const isLocal = (page: string) => /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?(\/|$)/.test(page)

/** Waits until something answers, since it may have been started a moment ago. */
function lookAt(page: string, browser: string, file: string): string {
  const { port } = new URL(page)
  const flags =
    '--headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,800 --virtual-time-budget=5000'
  return `${startOfLooks}
for _ in $(seq ${waitSeconds * 5}); do (exec 3<>/dev/tcp/127.0.0.1/${port || 80}) 2>/dev/null && break; sleep 0.2; done
(exec 3<>/dev/tcp/127.0.0.1/${port || 80}) 2>/dev/null && timeout 60 ${quoted(browser)} ${flags} --screenshot=${quoted(file)} ${quoted(page)} >/dev/null 2>&1
`
}

/** Addresses, and paths of pages behind a word that says to look at them; not those in the lines that are executed. */
export function pagesIn(block: string): string[] {
  const prose = block.replace(/^ *(`{3,}|~{3,})[^\n]*\n.*?^ *\1 *$/gms, '')
  const addresses = [...prose.matchAll(/https?:\/\/[^\s<>"'`)\]]+/g)].map(([page]) => trimEnd(page, '.,;:!?'))
  const paths = [
    ...prose.matchAll(/\b(?:open|visit|go to|browse to|load)\s+(?:the page\s+)?[`"']?(\/[\w/.~-]*)/gi),
  ]
  return [...new Set([...addresses, ...paths.map((match) => match[1]!)])].filter(isAddress).slice(0, 5)
}

const isAddress = (page: string) => page.startsWith('/') || URL.canParse(page)

const cut = (text: string) =>
  text.length <= mostOfText
    ? text
    : `${text.slice(0, mostOfText / 2)}\n… ${text.length - mostOfText} characters were left out here …\n${text.slice(-mostOfText / 2)}`

const browsers = [
  'chromium',
  'chromium-browser',
  'chromium-headless-shell',
  'google-chrome',
  'google-chrome-stable',
]

export function findBrowser(search = process.env.PATH ?? ''): string | null {
  for (const name of browsers)
    for (const folder of search.split(':').filter(Boolean)) {
      const file = path.join(folder, name)
      try {
        accessSync(file, constants.X_OK)
        return file
      } catch {}
    }
  return null
}
