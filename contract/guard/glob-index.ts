import { coveredBy, withFolders } from '../denied-paths.ts'

interface Entry<T> {
  glob: string
  /** Letters that every path has which the glob covers. */
  literal: string
  value: T
  at: number
}

/** Hundreds of globs, each with what it stands for, and which of them cover a path. Most paths are held against none. */
export class GlobIndex<T> {
  readonly #entries: Entry<T>[]
  /** By a whole name that is in the glob, in small letters; the others have stars in each of theirs. */
  readonly #named: Map<string, Entry<T>[]>
  readonly #starred: Entry<T>[]

  constructor(entries: readonly (readonly [globs: readonly string[], value: T])[]) {
    const all = entries.flatMap(([globs, value]) => withFolders(globs).map((glob) => ({ glob, value })))
    this.#entries = all.map((entry, at) => ({ ...entry, at, literal: literalIn(entry.glob) }))
    this.#starred = this.#entries.filter(({ glob }) => nameIn(glob) === undefined)
    const named = this.#entries.filter(({ glob }) => nameIn(glob) !== undefined)
    this.#named = Map.groupBy(named, ({ glob }) => nameIn(glob)!)
  }

  /** As `coveredChanges` would find them, in the order in which they were given. */
  at(path: string): T[] {
    const found = this.#likely(path).filter(({ glob }) => coveredBy([path], [glob]).length > 0)
    return [...new Set(found.sort((a, b) => a.at - b.at).map(({ value }) => value))]
  }

  #likely(path: string): Entry<T>[] {
    if (isPlain(path)) {
      const small = path.toLowerCase()
      const named = [...new Set(small.split('/'))].flatMap((name) => this.#named.get(name) ?? [])
      return [...named, ...this.#starred.filter(({ literal }) => small.includes(literal))]
    }
    const spellings = spellingsOf(path)
    return this.#entries.filter(({ literal }) => spellings?.some((one) => one.includes(literal)) ?? true)
  }
}

const nameIn = (glob: string): string | undefined =>
  glob
    .toLowerCase()
    .split('/')
    .find((name) => !/[*?]/.test(name))

/** The longest run of letters within one name of a glob. */
function literalIn(glob: string): string {
  const runs = glob.toLowerCase().split(/[*?/]+/)
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '')
}

/** Written like this, a path means the same to every system but for the case of its letters. */
const isPlain = (path: string) => !/[^!-~]|[\\:~]|\.(\/|$)/.test(path)

const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu
const fold = (text: string) => text.toUpperCase().toLowerCase()

/** What the letters of another path may be taken for; null: a short name of Windows, which may stand for any. */
function spellingsOf(path: string): string[] | null {
  const lax = path.replace(unseen, '').normalize('NFKC')
  return /~\d/.test(lax) ? null : [fold(path), fold(lax)]
}
