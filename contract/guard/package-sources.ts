import { dictionary } from '../dictionary.ts'
import { GlobIndex } from './glob-index.ts'

/** How a file that says where packages come from is read. */
interface Reading {
  globs: string[]
  /** A lock file pins what is installed: without it, or unread, anything may be. */
  isLock: boolean
  /** Where this kind of package comes from for most people: what a new file may name without a word. */
  usual: string[]
  /** Packages come from accounts of code hosts as a rule, so that another account is no news. */
  fromCodeHosts?: boolean
  /** The parts of the text that a package manager follows; null: it cannot be read. */
  followed: (text: string) => string | null
}

const npmHosts = ['registry.npmjs.org', 'registry.yarnpkg.com']
const pythonHosts = ['pypi.org', 'files.pythonhosted.org']

const readings: Reading[] = [
  {
    globs: ['**/package-lock.json', '**/npm-shrinkwrap.json', '**/.package-lock.json'],
    isLock: true,
    usual: npmHosts,
    followed: (text) => jsonWithout(text, ['funding', 'deprecated', 'license', 'licenses', 'engines']),
  },
  { globs: ['**/yarn.lock'], isLock: true, usual: npmHosts, followed: (text) => text },
  {
    globs: ['**/pnpm-lock.y*ml'],
    isLock: true,
    usual: npmHosts,
    followed: (text) => linesWithout(text, /^ *deprecated: *[^ {[&*!|>]/),
  },
  { globs: ['**/bun.lock'], isLock: true, usual: npmHosts, followed: (text) => text },
  { globs: ['**/bun.lockb'], isLock: true, usual: npmHosts, followed: () => null },
  {
    globs: ['**/deno.lock'],
    isLock: true,
    usual: [...npmHosts, 'jsr.io', 'npm.jsr.io'],
    followed: (text) => text,
  },
  {
    globs: ['**/poetry.lock', '**/uv.lock', '**/pdm.lock', '**/pylock.toml', '**/pylock.*.toml'],
    isLock: true,
    usual: pythonHosts,
    followed: (text) => linesWithout(text, /^description *= *"[^"]*" *$/),
  },
  { globs: ['**/Pipfile.lock'], isLock: true, usual: pythonHosts, followed: (text) => jsonWithout(text, []) },
  {
    globs: ['**/requirements*.txt', '**/requirements/*.txt', '**/constraints*.txt', '**/requirements*.in'],
    isLock: false,
    usual: pythonHosts,
    followed: (text) => linesWithout(text, /^ *#/),
  },
  {
    globs: ['**/Cargo.lock'],
    isLock: true,
    usual: ['github.com/rust-lang', 'index.crates.io'],
    followed: (text) => text,
  },
  {
    globs: ['**/Cargo.toml'],
    isLock: false,
    usual: [],
    followed: (text) => linesWithout(text, /^ *(?:homepage|repository|documentation|description|#)/),
  },
  {
    globs: ['**/go.sum', '**/go.work.sum'],
    isLock: true,
    usual: ['github.com', 'golang.org', 'google.golang.org', 'gopkg.in'],
    fromCodeHosts: true,
    followed: (text) => text.replace(/^(?=\S)/gm, 'https://'),
  },
  { globs: ['**/go.mod', '**/go.work'], isLock: false, usual: [], followed: replaceDirectives },
  {
    globs: ['**/composer.lock'],
    isLock: true,
    usual: ['github.com', 'api.github.com', 'packagist.org', 'repo.packagist.org'],
    fromCodeHosts: true,
    followed: (text) =>
      jsonWithout(text, [
        'homepage',
        'support',
        'funding',
        'authors',
        'description',
        'notification-url',
        'license',
      ]),
  },
  {
    globs: ['**/Gemfile.lock', '**/gems.locked'],
    isLock: true,
    usual: ['rubygems.org'],
    followed: (text) => text,
  },
  {
    globs: ['**/packages.lock.json'],
    isLock: true,
    usual: ['api.nuget.org'],
    followed: (text) => jsonWithout(text, []),
  },
  {
    globs: ['**/pubspec.lock'],
    isLock: true,
    usual: ['pub.dev', 'pub.dartlang.org'],
    followed: (text) => text,
  },
  { globs: ['**/mix.lock'], isLock: true, usual: [], followed: (text) => text },
  {
    globs: ['**/Podfile.lock', '**/Package.resolved', '**/Cartfile.resolved'],
    isLock: true,
    usual: [],
    fromCodeHosts: true,
    followed: (text) => text,
  },
  {
    globs: ['**/conda-lock.y*ml', '**/pixi.lock'],
    isLock: true,
    usual: ['conda.anaconda.org', ...pythonHosts],
    followed: (text) => text,
  },
  { globs: ['**/flake.lock'], isLock: true, usual: [], followed: flakeInputs },
  {
    globs: ['**/package.json', '**/deno.json*', '**/import_map.json'],
    isLock: false,
    usual: npmHosts,
    followed: dependencySpecs,
  },
  {
    globs: ['**/pyproject.toml', '**/Pipfile'],
    isLock: false,
    usual: pythonHosts,
    followed: (text) =>
      linesWithout(withoutLinks(text), /^ *(?:homepage|repository|documentation|description|#)/),
  },
]

export const lockFiles: readonly string[] = readings.flatMap(({ isLock, globs }) => (isLock ? globs : []))
export const manifestFiles: readonly string[] = readings.flatMap(({ isLock, globs }) => (isLock ? [] : globs))

const index = new GlobIndex(readings.map((reading) => [reading.globs, reading] as const))

export const readingOf = (path: string): Reading | null => index.at(path)[0] ?? null

/** Where packages come from that did not come from there before; null: it cannot be read. */
export function newSources(reading: Reading, before: string | null, after: string): string[] | null {
  const followed = reading.followed(after)
  if (followed === null) return null
  const former = before === null ? null : reading.followed(before)
  const known = sourcesIn(former ?? '', reading)
  const accepted = known.size > 0 ? known : new Set(reading.usual)
  return [...sourcesIn(followed, reading)].filter((source) => !accepted.has(source)).sort()
}

/** Anyone can have an account there, so the account is told as well. */
const codeHosts = [
  'github.com',
  'gitlab.com',
  'bitbucket.org',
  'codeberg.org',
  'git.sr.ht',
  'codeload.github.com',
  'raw.githubusercontent.com',
  'api.github.com',
  'gist.github.com',
  'cdn.jsdelivr.net',
  'unpkg.com',
  'esm.sh',
]
const shorthand: Record<string, string> = dictionary({
  github: 'github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
  gist: 'gist.github.com',
})

const addresses = /:\/\/([^\s"'`<>()[\]{},;|^]+)/g
/** With fewer slashes, or others, an address leads to the same place for most programs. */
const sloppy = /\bhttps?:(?!\/\/)[\\/]*([^\s"'`<>()[\]{},;|^\\/]+)/gi
const overSsh = /@([a-z0-9][a-z0-9.-]{0,252}):([\w.-]{1,100})\//gi
const shorthands = /\b(github|gitlab|bitbucket|gist):([\w.-]{1,100})/gi
const longestScheme = 30

/** Every host that a text names in an address, in whichever spelling. */
function sourcesIn(text: string, { fromCodeHosts = false }: Reading): Set<string> {
  const plain = text.replace(/%(3a|2f)/gi, (_, digits: string) => (digits.toLowerCase() === '3a' ? ':' : '/'))
  const found = new Set<string>()
  const add = (host: string, account: string | undefined, scheme = '') => {
    const name = host.toLowerCase().replace(/\.$/, '')
    const isShared = !fromCodeHosts && codeHosts.includes(name) && account
    found.add(`${scheme}${name}${isShared ? `/${account.toLowerCase()}` : ''}`)
  }
  for (const { 1: rest, index } of plain.matchAll(addresses)) {
    const scheme =
      /[a-z][a-z0-9+.-]*$/i.exec(plain.slice(Math.max(0, index - longestScheme), index))?.[0] ?? ''
    const [authority = '', ...path] = rest!.split('/')
    // Programs do not agree where such an authority ends, so it is told as it is.
    if (/[\\?#]/.test(authority)) add(authority, undefined)
    const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:(?:443|80|22)?$/, '')
    const account = path[host === 'api.github.com' ? 1 : 0]?.split(/[?#]/)[0]
    if (host) add(host, account, isInTheClear.test(scheme) ? `${scheme.toLowerCase()}://` : '')
  }
  for (const [, host] of plain.matchAll(sloppy)) add(host!.slice(host!.lastIndexOf('@') + 1), undefined)
  for (const [, host, account] of plain.matchAll(overSsh)) if (host!.includes('.')) add(host!, account)
  for (const [, name, account] of plain.matchAll(shorthands)) add(shorthand[name!.toLowerCase()]!, account)
  return found
}

/** Plain http: anyone on the network path can replace the content. */
const isInTheClear = /(?:^|\+)(?:http|git|ftp|svn)$/i

const linesWithout = (text: string, dropped: RegExp): string =>
  text
    .split('\n')
    .filter((line) => !dropped.test(line))
    .join('\n')

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

/**
 * The texts of a JSON file, one a line, without what only people read. Nothing is left out that has an entry's fields.
 */
function jsonWithout(text: string, dropped: string[]): string | null {
  const root = parsed(text)
  if (root === null || typeof root !== 'object') return null
  const texts: string[] = []
  // Not by recursion: the author of the file chooses how deep it nests.
  const ahead: unknown[] = [root]
  while (ahead.length > 0) {
    const value = ahead.pop()
    // Addresses are followed without the line breaks in them.
    if (typeof value === 'string') texts.push(value.replace(/[\t\n\r]/g, ''))
    if (value === null || typeof value !== 'object') continue
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) texts.push(key)
      if (!dropped.includes(key) || !isProse(inner)) ahead.push(inner)
    }
  }
  return texts.join('\n')
}

/** A text, or texts with none among them that says what is fetched. A package may be called `funding` as well. */
const isProse = (value: unknown): boolean =>
  typeof value === 'string' ||
  (Array.isArray(value)
    ? value.every(isFlat)
    : isFlat(value) &&
      !Object.keys(value as object).some((key) => ['resolved', 'version', 'dist', 'reference'].includes(key)))

const isFlat = (value: unknown): boolean =>
  typeof value === 'string' ||
  (value !== null &&
    typeof value === 'object' &&
    Object.values(value).every((inner) => typeof inner === 'string'))

const specFields = [
  ...['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'],
  ...['overrides', 'resolutions', 'imports', 'scopes', 'catalog', 'catalogs'],
]

/** What a package asks for by an address instead of a version. */
function dependencySpecs(text: string): string | null {
  const root = parsed(text) as Record<string, unknown> | null | undefined
  if (root === null || typeof root !== 'object') return ''
  const inner = root.pnpm as { overrides?: unknown } | undefined
  const asked = [...specFields.map((field) => root[field]), inner?.overrides]
  const specs = jsonWithout(JSON.stringify(asked), []) ?? ''
  // `owner/repository` alone is an account at GitHub.
  return specs.replace(/^(?=[\w-][\w.-]*\/[\w.-]+(?:#\S*)?$)/gm, 'github:')
}

/**
 * Without the table of links that are shown beside a package. Text that goes on over lines could only pretend to be it.
 */
function withoutLinks(text: string): string {
  const parts = text.split(/^(?=\[)/m)
  const isLinks = (part: string) => /^\[(?:project|tool\.poetry)\.urls\]/.test(part) && !/"""|'{3}/.test(part)
  return parts.filter((part) => !isLinks(part)).join('')
}

/** What a module is replaced by, unless that is a folder beside it. */
function replaceDirectives(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('//', 1)[0]!)
    .flatMap((line) => line.split('=>').slice(1))
    .map((target) => target.trim())
    .filter((target) => !/^\.{0,2}\//.test(target))
    .map((target) => `https://${target}`)
    .join('\n')
}

/** Inputs of Nix name host and account in fields of their own. */
function flakeInputs(text: string): string | null {
  const root = parsed(text) as { nodes?: Record<string, { locked?: Record<string, unknown> }> } | undefined
  if (root === null || typeof root !== 'object') return null
  const accounts = Object.values(root.nodes ?? {}).map(({ locked }) =>
    locked?.owner ? `${locked.type}:${locked.owner}` : '',
  )
  return [jsonWithout(text, []), ...accounts].join('\n')
}
