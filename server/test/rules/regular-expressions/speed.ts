import { type Node, parse } from './syntax.ts'

/**
 * Whether a regular expression takes linear time on any text. A backtracking engine takes longer where the same letters
 * can be consumed in two ways that both go on: two loops that follow each other and take the same, a loop in a loop, or
 * a loop that a search begins again at every letter of it.
 *
 * Positions of the expression are states, as by Glushkov. Two of them that can be in a loop on the same letters, the
 * second after the first, cost a square; one that comes back to itself in two ways costs a power. A state in which the
 * expression has already matched stops the engine and costs nothing.
 */
export function superlinear(source: string, flags: string): string | null {
  const node = parse(source, flags)
  const graph = graphOf(node, flags)
  return findPower(graph) ?? findSquare(graph)
}

/** Above this a bound is none. */
const mostRepeated = 128

/** One of each kind of letter that expressions tell apart. */
const samples = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...[
    '\u0085',
    '\u00a0',
    '\u00ad',
    '·',
    'é',
    'É',
    'ß',
    'ı',
    'İ',
    'ſ',
    'K',
    'π',
    'ж',
    '漢',
    'か',
    '한',
    '٣',
    '٠',
  ],
  ...[
    '\u200b',
    '\u200d',
    '\u2028',
    '\u2029',
    '\u202e',
    '\ufe0f',
    '\ufeff',
    '\u3000',
    '“',
    '–',
    '…',
    '€',
    '\u0301',
  ],
  ...['😀', '👍', '🏽', '\u{e0041}', '\u{e0101}', '\u{10ffff}', '\ud800', '\udc00'],
]

interface Graph {
  /** Which samples each position takes. */
  takes: Set<number>[]
  /** Where each leads, and in how many ways. */
  follows: Map<number, number>[]
  isOver: boolean[]
  sources: string[]
}

interface Part {
  first: Set<number>
  last: Set<number>
  /** Those of the last after which nothing more is asked: the expression has matched. */
  certain: Set<number>
  isNullable: boolean
  /** Whether nothing is asked of the text where it takes none of it. */
  isFree: boolean
}

function graphOf(node: Node, flags: string): Graph {
  const graph: Graph = { takes: [], follows: [], isOver: [], sources: [] }
  const kept = flags.replaceAll(/[gyd]/g, '')
  const add = (source: string, takes: Set<number>): number => {
    graph.sources.push(source)
    graph.follows.push(new Map())
    graph.isOver.push(false)
    return graph.takes.push(takes) - 1
  }
  const connect = (from: Iterable<number>, to: Iterable<number>) => {
    const goals = [...to]
    for (const one of from)
      for (const other of goals) graph.follows[one]!.set(other, (graph.follows[one]!.get(other) ?? 0) + 1)
  }
  const known = new Map<string, Set<number>>()
  const takenBy = (source: string): Set<number> => {
    const found = known.get(source)
    if (found) return found
    const letter = new RegExp(`^(?:${source})$`, kept.replaceAll('m', ''))
    const taken = new Set([...samples.keys()].filter((at) => letter.test(samples[at]!)))
    known.set(source, taken)
    return taken
  }
  // Letters of two halves are letters only to some expressions.
  const everything = takenBy('[\\s\\S]')
  const lazy = new Set<number>()
  const none = new Set<number>()
  const nothing: Part = { first: none, last: none, certain: none, isNullable: true, isFree: true }
  const asked: Part = { ...nothing, isFree: false }
  const dead: Part = { ...nothing, isNullable: false }
  const letter = (source: string, takes: Set<number>): Part => {
    const one = new Set([add(source, takes)])
    return { first: one, last: one, certain: one, isNullable: false, isFree: true }
  }

  /** `before`: what has been consumed before it can only be this. */
  const build = (one: Node, before: 'nothing' | 'search' | 'more'): Part => {
    if (one.type === 'atom') return letter(one.source, takenBy(one.source))
    if (one.type === 'start') {
      if (before === 'nothing') return nothing
      if (!flags.includes('m')) return dead
      return before === 'search' ? letter('(line)', takenBy('[\\r\\n\\u2028\\u2029]')) : asked
    }
    if (one.type === 'behind') {
      if (before === 'nothing') return one.isNot ? nothing : dead
      const taken = takenBy(one.source)
      if (before === 'search') return letter('(behind)', one.isNot ? everything.difference(taken) : taken)
      return asked
    }
    if (one.type === 'assertion') return asked
    // It ends nowhere: what it costs counts, and the rest goes on beside it.
    if (one.type === 'ahead') return { ...asked, first: build(one.of, 'more').first }
    if (one.type === 'choice') {
      const parts = one.of.map((each) => build(each, before))
      const all = (of: 'first' | 'last' | 'certain') => new Set(parts.flatMap((part) => [...part[of]]))
      return {
        first: all('first'),
        last: all('last'),
        certain: all('certain'),
        isNullable: parts.some(({ isNullable }) => isNullable),
        isFree: parts.some(({ isNullable, isFree }) => isNullable && isFree),
      }
    }
    if (one.type === 'sequence') return row(one.of, before)
    if (one.most === 0) return nothing
    const isLoop = one.most > mostRepeated
    const times = isLoop || one.most === 1 ? 1 : 2
    const part = row(Array<Node>(times).fill(one.of), before)
    if (isLoop) connect(part.last, part.first)
    // It looks after every letter whether the rest follows.
    if (one.isLazy) for (const at of part.last) lazy.add(at)
    return {
      ...part,
      isNullable: part.isNullable || one.least === 0,
      isFree: part.isFree || one.least === 0,
    }
  }

  const row = (nodes: Node[], before: 'nothing' | 'search' | 'more'): Part => {
    let so: Part = nothing
    for (const each of nodes) {
      const part = build(each, so === nothing ? before : 'more')
      // Nothing can be consumed before an anchor to the start of the text.
      if (part === dead) return dead
      connect(so.last, part.first)
      so = {
        first: new Set([...so.first, ...(so.isNullable ? part.first : [])]),
        last: new Set([...part.last, ...(part.isNullable ? so.last : [])]),
        certain: new Set([...part.certain, ...(part.isNullable && part.isFree ? so.certain : [])]),
        isNullable: so.isNullable && part.isNullable,
        isFree: so.isFree && part.isFree,
      }
    }
    return so
  }

  const whole = (before: 'nothing' | 'search'): Part => {
    const part = build(node, before)
    const isAnything = (at: number) =>
      part.last.has(at) &&
      !lazy.has(at) &&
      graph.takes[at]!.size === everything.size &&
      graph.follows[at]!.has(at)
    // It has matched; or whatever comes, something takes it to the end.
    for (const at of part.last)
      if (part.certain.has(at) || isAnything(at) || [...graph.follows[at]!.keys()].some(isAnything))
        graph.isOver[at] = true
    return part
  }
  whole('nothing')
  if (!flags.includes('y')) {
    const search = add('(search)', everything)
    connect([search], [search])
    connect([search], whole('search').first)
  }
  return graph
}

const shared = (one: Set<number>, other: Set<number>): boolean => {
  for (const letter of one) if (other.has(letter)) return true
  return false
}

/** Two ways from a position back to itself on the same letters. */
function findPower({ takes, follows, isOver, sources }: Graph): string | null {
  for (const [from, ways] of follows.entries())
    for (const [to, count] of ways)
      if (count > 1 && !isOver[to] && !isOver[from] && reaches(follows, to, from, isOver))
        return `${sources[to]} is repeated in two loops at once`
  for (const start of takes.keys()) {
    if (isOver[start] || !reaches(follows, start, start, isOver)) continue
    const seen = new Set<string>()
    const open: [number, number][] = [[start, start]]
    while (open.length > 0) {
      const [one, other] = open.pop()!
      for (const a of follows[one]!.keys())
        for (const b of follows[other]!.keys()) {
          if (isOver[a] || isOver[b] || !shared(takes[a]!, takes[b]!)) continue
          if (a === start && b === start && one !== other) return `${sources[start]} comes again in two ways`
          const key = `${a},${b}`
          if (seen.has(key)) continue
          seen.add(key)
          open.push([a, b])
        }
    }
  }
  return null
}

/** Two loops, one after the other, on the same letters. */
function findSquare({ takes, follows, isOver, sources }: Graph): string | null {
  const looping = [...takes.keys()].filter((at) => !isOver[at] && reaches(follows, at, at, isOver))
  for (const one of looping)
    for (const other of looping) {
      if (one === other || !reaches(follows, one, other, isOver)) continue
      if (canPump({ takes, follows, isOver }, one, other))
        return `${sources[one]} and ${sources[other]} take the same letters`
    }
  return null
}

/** Whether some letters lead from the first to itself, from the first to the second, and from the second to itself. */
function canPump({ takes, follows, isOver }: Omit<Graph, 'sources'>, one: number, other: number): boolean {
  const seen = new Set<string>()
  const open: [number, number, number][] = [[one, one, other]]
  while (open.length > 0) {
    const [p, m, q] = open.pop()!
    for (const a of follows[p]!.keys())
      for (const b of follows[m]!.keys()) {
        if (isOver[a] || isOver[b]) continue
        for (const c of follows[q]!.keys()) {
          if (isOver[c]) continue
          const letters = takes[a]!
          let fits = false
          for (const letter of letters)
            if (takes[b]!.has(letter) && takes[c]!.has(letter)) {
              fits = true
              break
            }
          if (!fits) continue
          if (a === one && b === other && c === other) return true
          const key = `${a},${b},${c}`
          if (seen.has(key)) continue
          seen.add(key)
          open.push([a, b, c])
        }
      }
  }
  return false
}

function reaches(follows: Map<number, number>[], from: number, to: number, isOver: boolean[]): boolean {
  const seen = new Set<number>()
  const open = [from]
  while (open.length > 0)
    for (const next of follows[open.pop()!]!.keys()) {
      if (isOver[next]) continue
      if (next === to) return true
      if (!seen.has(next)) {
        seen.add(next)
        open.push(next)
      }
    }
  return false
}
