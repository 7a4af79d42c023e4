import { coveredBy, withFolders } from '../denied-paths.ts'

/** Hundreds of globs, each with what it stands for, and which of them cover a path. Most paths are held against none. */
export class GlobIndex<T> {
  readonly #entries: { glob: string; literal: string; value: T }[]

  constructor(entries: readonly (readonly [globs: readonly string[], value: T])[]) {
    this.#entries = entries.flatMap(([globs, value]) =>
      withFolders(globs).map((glob) => ({ glob, literal: literalIn(glob), value })),
    )
  }

  /** As `coveredChanges` would find them, in the order in which they were given. */
  at(path: string): T[] {
    const spellings = spellingsOf(path)
    const found = this.#entries.filter(
      ({ glob, literal }) =>
        (spellings === null || spellings.some((spelling) => spelling.includes(literal))) &&
        coveredBy([path], [glob]).length > 0,
    )
    return [...new Set(found.map(({ value }) => value))]
  }
}

/** The longest run of letters within one name of a glob: no path that it covers is without them. */
function literalIn(glob: string): string {
  const runs = glob.toLowerCase().split(/[*?/]+/)
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '')
}

const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu
const fold = (text: string) => text.toUpperCase().toLowerCase()

/** What the letters of a path may be taken for; null: a short name of Windows, which may stand for any. */
function spellingsOf(path: string): string[] | null {
  if (/~\d/.test(path.normalize('NFKC'))) return null
  const plain = fold(path)
  return /[^ -~]/.test(path) ? [plain, fold(path.replace(unseen, '').normalize('NFKC'))] : [plain]
}
