import { coveredBy } from '../denied-paths.ts'

/** What a lock file says of a package apart from where it comes from. */
interface Locked {
  name: string
  resolved: string
  hasInstallScript: boolean
}

const npmLocks = ['**/package-lock.json', '**/npm-shrinkwrap.json', '**/.package-lock.json']
const pnpmLocks = ['**/pnpm-lock.y*ml']

export interface LockfileChanges {
  /** Packages that run something when they are installed, and did not before. */
  scripts: string[]
  /** Packages whose address is that of another package. */
  strangers: string[]
}

/** What is new in a lock file, as far as it says. Of one that cannot be read, nothing is known. */
export function lockfileChanges(path: string, before: string | null, after: string): LockfileChanges {
  const read = readerOf(path)
  if (!read) return { scripts: [], strangers: [] }
  const [old, now] = [read(before ?? ''), read(after)]
  const news = (wanted: (one: Locked) => string | null) => {
    const known = new Set(old.map(wanted))
    return [...new Set(now.map(wanted))].filter((one) => one !== null && !known.has(one)).sort() as string[]
  }
  return {
    scripts: news((one) => (one.hasInstallScript ? one.name : null)),
    strangers: news(strangerIn),
  }
}

function readerOf(path: string): ((text: string) => Locked[]) | null {
  if (coveredBy([path], npmLocks).length > 0) return npmPackages
  return coveredBy([path], pnpmLocks).length > 0 ? pnpmPackages : null
}

interface NpmEntry {
  name?: unknown
  resolved?: unknown
  hasInstallScript?: unknown
  dependencies?: Record<string, NpmEntry>
}

function npmPackages(text: string): Locked[] {
  let root: { packages?: Record<string, NpmEntry>; dependencies?: Record<string, NpmEntry> }
  try {
    root = JSON.parse(text.replace(/^\ufeff/, '')) ?? {}
  } catch {
    return []
  }
  const found: Locked[] = []
  const add = (key: string, { name, resolved, hasInstallScript }: NpmEntry) =>
    found.push({
      name: typeof name === 'string' ? name : key.split('node_modules/').at(-1)!,
      resolved: typeof resolved === 'string' ? resolved : '',
      hasInstallScript: hasInstallScript === true,
    })
  for (const [key, entry] of entriesOf(root.packages)) if (key !== '') add(key, entry)
  // The older form has them one inside another.
  const ahead = [root.dependencies]
  while (ahead.length > 0)
    for (const [key, entry] of entriesOf(ahead.pop())) {
      add(key, entry)
      ahead.push(entry.dependencies)
    }
  return found
}

const entriesOf = (map: unknown): [string, NpmEntry][] =>
  map !== null && typeof map === 'object'
    ? Object.entries(map).filter(([, entry]) => entry !== null && typeof entry === 'object')
    : []

/**
 * `/foo@1.2.3(peer@1):` and `foo@1.2.3:` begin a package; `requiresBuild: true` below it says that it runs something.
 */
function pnpmPackages(text: string): Locked[] {
  const found: Locked[] = []
  let name = ''
  for (const line of text.split('\n')) {
    const begins = /^ {2}['"]?\/?((?:@[^/\s]+\/)?[^@\s'"]+)[@/]/.exec(line)
    if (begins) name = begins[1]!
    if (/^ {4,}requiresBuild: true/.test(line)) found.push({ name, resolved: '', hasInstallScript: true })
  }
  return found
}

/** Registries put a package below its own name: `…/left-pad/-/left-pad-1.0.0.tgz`. */
function strangerIn({ name, resolved }: Locked): string | null {
  const path = /^https?:\/\/[^/]+\/(.*)\/-\//.exec(resolved)?.[1]?.replace(/%2f/gi, '/').replace(/%40/g, '@')
  return path === undefined || path === name || path.endsWith(`/${name}`) ? null : `${name} (from ${path})`
}
