/** The acceptance spec is what a run is measured by, so no policy lets a run change it. */
export const acceptanceSpec = '.kanman/acceptance/**'

/**
 * The paths among `paths` that one of the globs covers. `**` crosses folders, `*` and `?` do not; dots are letters. A
 * folder is covered with what is in it.
 */
export function coveredBy(paths: readonly string[], globs: readonly string[]): string[] {
  const patterns = globs.map(patternOf)
  return paths.filter((path) => {
    const letters = lettersOf(normal(path))
    return patterns.some((pattern) => pattern.covers(letters))
  })
}

/**
 * `./src//a` and `src/x/../a` are `src/a`: a denied path is not entered through a side door. Nor through one that only
 * some file systems have: they take letters for the same, and drop dots and spaces at the end of a name.
 */
function normal(path: string): string {
  const parts: string[] = []
  for (const part of path.normalize('NFC').replaceAll('\\', '/').split('/')) {
    const name = part === '..' ? part : part.replace(/[. ]+$/, '')
    if (name === '..') parts.pop()
    else if (name !== '') parts.push(name)
  }
  return parts.join('/')
}

/** A letter in both of its cases, since some file systems take them for one. */
interface Letter {
  lower: string
  upper: string
}

const lettersOf = (text: string): Letter[] =>
  [...text].map((letter) => ({ lower: letter.toLowerCase(), upper: letter.toUpperCase() }))

const isSame = (a: Letter, b: Letter) => a.lower === b.lower || a.upper === b.upper

const slash: Letter = { lower: '/', upper: '/' }

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
  #look = 0

  constructor(glob: string) {
    for (const [piece] of glob.matchAll(/\/\*\*$|\*\*\/|\*\*|\*|\?|[^*?]/gsu)) this.#add(piece)
    this.#reached = [...this.#steps, null].map((_, at) => this.#from(at))
    this.#seen = new Uint32Array(this.#steps.length + 1)
  }

  covers(letters: Letter[]): boolean {
    let standing = this.#reached[0]!
    for (const letter of letters) {
      standing = this.#after(standing, letter)
      if (standing.length === 0) return false
    }
    return standing.includes(this.#steps.length)
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

const known = new Map<string, Pattern>()
const mostKnown = 1_000

function patternOf(glob: string): Pattern {
  const pattern = known.get(glob) ?? new Pattern(normal(glob.replace(/[/\\]$/, '/**')))
  if (known.size >= mostKnown) known.clear()
  known.set(glob, pattern)
  return pattern
}
