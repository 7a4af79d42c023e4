import { trimEnd } from './trim-end.ts'
/** The acceptance spec is what a run is measured by, so no policy lets a run change it. */
export const acceptanceSpec = '.kanman/acceptance/**'

/**
 * The paths among `paths` that one of the globs covers. `**` crosses folders, `*` and `?` do not; dots are letters. A
 * folder is covered with what is in it.
 */
export function coveredBy(paths: readonly string[], globs: readonly string[]): string[] {
  const patterns = globs.flatMap(patternsOf)
  return paths.filter((path) => {
    const readings = readingsOf(path).map(waysOf)
    return patterns.some((pattern) => readings.some((names) => pattern.covers(names)))
  })
}

/**
 * The same for what a change touches. Git knows no folders: whatever it names is a file or a link, and one that stands
 * where a denied path has a folder puts something else in its place.
 */
export const coveredChanges = (paths: readonly string[], globs: readonly string[]): string[] =>
  coveredBy(paths, withFolders(globs))

/** The globs, and where they have their folders; of a folder that is all stars nothing can be said. */
export const withFolders = (globs: readonly string[]): string[] => [
  ...globs,
  ...globs.flatMap(foldersAbove).filter((glob) => !/(^|\/)[*?]+$/.test(glob)),
]

/** Where a denied path has its folders, from the root down. What `**` stands for is not among them. */
export const foldersAbove = (glob: string): string[] =>
  readingsOf(glob).flatMap((names) =>
    names.slice(0, -1).flatMap((name, at) => (name === '**' ? [] : [names.slice(0, at + 1).join('/')])),
  )

/** Two paths with the same one may be one file to a file system, or to a reader. */
export const foldedPath = (path: string): string =>
  isPlain(path)
    ? walked(path.split('/')).join('/').toUpperCase()
    : readingsOf(path)[0]!
        .map((name) => folded(name).toLowerCase().toUpperCase())
        .join('/')

/** Invisible characters, which some file systems ignore as well. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu

/** Written like this, a name or a path has one reading. */
const isPlain = (text: string) => !/[^!-~]|[\\:~]|\.(\/|$)/.test(text)

/**
 * What a path may mean, each a list of names: to git, to a system whose separator is `\` as well, and to one that takes
 * letters for the same. A denied path is not entered through a side door that only some of them have, and what one of
 * them would climb out of by `..` is still denied to the others.
 */
function readingsOf(path: string): string[][] {
  const asGit = walked(path.split('/'))
  if (isPlain(path)) return [asGit]
  const slashed = path.replaceAll('\\', '/')
  const lax = path.replace(unseen, '').normalize('NFKC').replaceAll('\\', '/')
  return [asGit, walked(slashed.split('/')), walked(lax.split('/').map(withoutTail))]
}

/** `./src//a` and `src/x/../a` are `src/a`. */
function walked(parts: string[]): string[] {
  const names: string[] = []
  for (const part of parts) {
    if (part === '..') names.pop()
    else if (part !== '' && part !== '.') names.push(part)
  }
  return names
}

/** Some file systems drop dots and spaces at the end of a name. */
const withoutTail = (name: string) => (/^\.\. *$/.test(name) ? '..' : trimEnd(name, '. '))

const folded = (name: string) =>
  isPlain(name) ? name : withoutTail(name.replace(unseen, '').normalize('NFKC'))

/** A letter in both of its cases, since some file systems take them for one. */
interface Letter {
  lower: string
  upper: string
}

const lettersOf = (text: string): Letter[] =>
  [...text].map((letter) => ({ lower: letter.toLowerCase(), upper: letter.toUpperCase() }))

const isSame = (a: Letter, b: Letter) => a.lower === b.lower || a.upper === b.upper

const slash: Letter = { lower: '/', upper: '/' }

/** The ways in which one name may be taken. */
interface Ways {
  letters: Letter[][]
  /** Written as a short name of Windows, it may be any name that begins so. */
  short: Short | null
}

/** `KANMAN~1`, `PACKAG~1.JSO`. */
interface Short {
  stem: string
  ending: string
}

const waysOf = (names: string[]): Ways[] =>
  names.map((name) => {
    if (isPlain(name)) return { letters: [lettersOf(name)], short: null }
    const seen = folded(name)
    // `infra::$INDEX_ALLOCATION` is the folder `infra` to Windows: behind the colon is one of its streams.
    const colon = seen.indexOf(':', 1)
    const texts = new Set([name, seen, colon === -1 ? seen : seen.slice(0, colon)])
    return { letters: [...texts].filter(Boolean).map(lettersOf), short: shortOf(seen) }
  })

function shortOf(name: string): Short | null {
  const match = /^([^~]{1,8})~\d{1,6}(?:\.([^.]{0,3}))?(?::.*)?$/s.exec(name.toUpperCase())
  return match && { stem: match[1]!, ending: match[2] ?? '' }
}

/** The first letters, or the first two and a number of four digits where too many names begin alike. */
function isShortFor({ stem, ending }: Short, name: string): boolean {
  const dot = name.lastIndexOf('.')
  const [base, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot + 1)] : [name, '']
  const clean = (text: string) =>
    text
      .replace(/[. ]/g, '')
      .replace(/[+,;=[\]]/g, '_')
      .toUpperCase()
  if (clean(end).slice(0, 3) !== ending) return false
  return clean(base).startsWith(/^.{1,2}[0-9A-F]{4}$/.test(stem) ? stem.slice(0, -4) : stem)
}

type Taken = Letter | 'any' | 'no slash'

/** A step takes one letter, or leads on to other steps without taking any. Behind the last one is the end. */
type Step = { takes: Taken; next: number } | { leads: number[] }

/**
 * Not a regular expression: globs and paths both come from outside, and `**a**a**a` against a long name keeps one busy
 * for years. Here a letter costs at most one look at each step.
 */
class Pattern {
  readonly #steps: Step[] = []
  /** Where one stands who comes to a step: there, or wherever it leads. Only steps that take a letter, and the end. */
  readonly #reached: number[][]
  readonly #seen: Uint32Array
  /** Names without a star, which a short name may stand for. */
  readonly #names: string[]
  #look = 0

  constructor(names: string[]) {
    this.#names = [...new Set(names)].filter((name) => !/[*?]/.test(name))
    for (const [piece] of names.join('/').matchAll(/\/\*\*$|\*\*\/|\*\*|\*|\?|[^*?]/gsu)) this.#add(piece)
    this.#reached = [...this.#steps, null].map((_, at) => this.#from(at))
    this.#seen = new Uint32Array(this.#steps.length + 1)
  }

  covers(path: Ways[]): boolean {
    let standing = this.#reached[0]!
    for (const [at, name] of path.entries()) {
      if (at > 0) standing = this.#after(standing, slash)
      standing = this.#past(name, standing)
      if (standing.length === 0) return false
    }
    return standing.includes(this.#steps.length)
  }

  #past({ letters, short }: Ways, standing: number[]): number[] {
    const meant = short ? this.#names.filter((name) => isShortFor(short, name)).map(lettersOf) : []
    const ends = [...letters, ...meant].map((way) => {
      let at = standing
      for (const letter of way) if (at.length > 0) at = this.#after(at, letter)
      return at
    })
    return ends.length === 1 ? ends[0]! : [...new Set(ends.flat())]
  }

  #after(standing: number[], letter: Letter): number[] {
    this.#look = (this.#look + 1) >>> 0
    const next: number[] = []
    for (const at of standing) {
      const step = this.#steps[at]
      if (!step || !('takes' in step) || !fits(step.takes, letter)) continue
      for (const to of this.#reached[step.next]!) {
        if (this.#seen[to] === this.#look) continue
        this.#seen[to] = this.#look
        next.push(to)
      }
    }
    return next
  }

  #add(piece: string): void {
    if (piece === '/**') this.#maybe(() => [this.#take(slash), this.#repeat('any')])
    else if (piece === '**/') this.#maybe(() => [this.#repeat('any'), this.#take(slash)])
    else if (piece === '**') this.#repeat('any')
    else if (piece === '*') this.#repeat('no slash')
    else this.#take(piece === '?' ? 'no slash' : lettersOf(piece)[0]!)
  }

  #take(takes: Taken): void {
    this.#steps.push({ takes, next: this.#steps.length + 1 })
  }

  #repeat(takes: Taken): void {
    const at = this.#steps.length
    this.#steps.push({ leads: [at + 1, at + 2] }, { takes, next: at })
  }

  #maybe(add: () => unknown): void {
    const leads = [this.#steps.length + 1]
    this.#steps.push({ leads })
    add()
    leads.push(this.#steps.length)
  }

  #from(start: number): number[] {
    const found = new Set([start])
    for (const at of found) {
      const step = this.#steps[at]
      if (step && 'leads' in step) for (const to of step.leads) found.add(to)
    }
    return [...found].filter((at) => !this.#steps[at] || 'takes' in this.#steps[at])
  }
}

const fits = (takes: Taken, letter: Letter) =>
  takes === 'any' || (takes === 'no slash' ? letter.lower !== '/' : isSame(takes, letter))

const known = new Map<string, Pattern[]>()
const mostKnown = 4_000

/** One for each reading of the glob. */
function patternsOf(glob: string): Pattern[] {
  const before = known.get(glob)
  if (before) return before
  const readings = readingsOf(glob.replace(/[/\\]$/, '/**'))
  // Any number of folders, twice in a row, is any number of folders.
  const once = readings.map((names) => names.filter((name, at) => name !== '**' || names[at - 1] !== '**'))
  const texts = new Map(once.map((names) => [names.join('/'), names]))
  const patterns = [...texts.values()].filter((names) => names.length > 0).map((names) => new Pattern(names))
  if (known.size >= mostKnown) known.clear()
  known.set(glob, patterns)
  return patterns
}
