/** A regular expression as a tree, as far as its speed depends on it. */
export type Node =
  /** One character, written as it is in the expression. */
  | { type: 'atom'; source: string }
  | { type: 'sequence'; of: Node[] }
  | { type: 'choice'; of: Node[] }
  | { type: 'loop'; of: Node; least: number; most: number; isLazy: boolean }
  | { type: 'start' }
  | { type: 'assertion' }
  /** The one letter before. */
  | { type: 'behind'; source: string; isNot: boolean }
  /** What is looked for ahead and not consumed. */
  | { type: 'ahead'; of: Node }

/** Reads what the language allows, except references to groups and what is looked for behind without a bound. */
export function parse(source: string, flags: string): Node {
  let at = 0
  const node = choice()
  if (at < source.length) throw new Error(`Not understood at ${at}: ${source}`)
  return node

  function choice(): Node {
    const of = [sequence()]
    while (source[at] === '|') {
      at += 1
      of.push(sequence())
    }
    return of.length === 1 ? of[0]! : { type: 'choice', of }
  }

  function sequence(): Node {
    const of: Node[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') of.push(repeated(one()))
    return { type: 'sequence', of }
  }

  function repeated(of: Node): Node {
    const [text = '', sign, least, comma, most, lazy] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)/.exec(source.slice(at)) ?? []
    const isLazy = lazy === '?'
    if (text === '') return of
    at += text.length
    if (sign)
      return { type: 'loop', of, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity, isLazy }
    return {
      type: 'loop',
      of,
      least: Number(least),
      most: comma ? Number(most || Infinity) : Number(least),
      isLazy,
    }
  }

  function one(): Node {
    const rest = source.slice(at)
    if (rest.startsWith('(')) return group(rest)
    const [text = rest[0]!] =
      /^(?:\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|k<[^>]*>|.)|\[(?:\\.|[^\]\\])*\])/s.exec(
        rest,
      ) ?? (/u|v/.test(flags) ? [String.fromCodePoint(rest.codePointAt(0)!)] : [])
    at += text.length
    if (text === '^') return { type: 'start' }
    if (text === '$' || text === '\\b' || text === '\\B') return { type: 'assertion' }
    if (/^\\(?:[1-9]|k)/.test(text)) throw new Error(`It refers to a group: ${source}`)
    return { type: 'atom', source: text }
  }

  function group(rest: string): Node {
    const [opening = '('] = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(rest) ?? []
    at += opening.length
    const of = choice()
    if (source[at] !== ')') throw new Error(`A group is open: ${source}`)
    at += 1
    if (opening.endsWith('<=') || opening.endsWith('<!')) {
      if (hasLoop(of)) throw new Error(`It looks behind without a bound: ${source}`)
      const only = of.type === 'sequence' && of.of.length === 1 ? of.of[0]! : of
      return only.type === 'atom'
        ? { type: 'behind', source: only.source, isNot: opening.endsWith('!') }
        : { type: 'assertion' }
    }
    return opening.endsWith('=') || opening.endsWith('!') ? { type: 'ahead', of } : of
  }
}

const hasLoop = (node: Node): boolean =>
  node.type === 'loop'
    ? node.most === Infinity || hasLoop(node.of)
    : 'of' in node
      ? (Array.isArray(node.of) ? node.of : [node.of]).some(hasLoop)
      : false
