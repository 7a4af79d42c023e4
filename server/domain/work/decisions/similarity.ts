/** What can be compared: words, and the files that a change touches where there is one. */
interface Compared {
  title: string
  body: string
  paths: string[] | null
}

/** Below this, two questions have little more in common than their kind. */
const least = 0.2

/** Those that are like `asked`, the most similar first. What nearly all of them share says nothing and counts little. */
export function similarTo<One extends Compared>(asked: Compared, others: readonly One[]): One[] {
  const texts = weighing([asked, ...others].map(wordsOf))
  const paths = weighing([asked, ...others].map(foldersOf))
  return others
    .map((other, at) => ({ other, likeness: likenessOf(texts(0, at + 1), paths(0, at + 1)) }))
    .filter(({ likeness }) => likeness >= least)
    .sort((one, another) => another.likeness - one.likeness)
    .map(({ other }) => other)
}

/** Where one of them touches no file, its words alone decide. */
const likenessOf = (words: number | null, paths: number | null) =>
  paths === null ? (words ?? 0) : ((words ?? 0) + paths) / 2

/** The cosine of two of these sets, with rare members weighing more; null: one of them is empty. */
function weighing(sets: Set<string>[]): (one: number, other: number) => number | null {
  const counts = new Map<string, number>()
  for (const set of sets) for (const member of set) counts.set(member, (counts.get(member) ?? 0) + 1)
  const weight = (member: string) => Math.log((sets.length + 1) / counts.get(member)!) ** 2
  const total = (members: Iterable<string>) => [...members].reduce((sum, member) => sum + weight(member), 0)
  return (one, other) => {
    const [a, b] = [sets[one]!, sets[other]!]
    if (a.size === 0 || b.size === 0) return null
    return total(a.intersection(b)) / Math.sqrt(total(a) * total(b))
  }
}

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

function wordsOf({ title, body }: Compared): Set<string> {
  const words = [...segmenter.segment(`${title}\n${body}`)].filter(({ isWordLike }) => isWordLike)
  return new Set(words.map(({ segment }) => segment.toLowerCase()))
}

/** A file with the folders it lies in: two files of one folder are closer than two of the same repository. */
const foldersOf = ({ paths }: Compared): Set<string> =>
  new Set(
    (paths ?? []).flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'))),
  )
