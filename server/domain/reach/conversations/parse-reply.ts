import type { ClarifyingQuestion } from '@signalbox/contract/requirement.ts'

/** What a reply asks for, done only when its author confirms it. */
export type Asked =
  | { type: 'answer'; key: string; optionId: string; note: string | null }
  | { type: 'stop' | 'retry'; key: string; note: string | null }

/** What a reply may mean, before checking whether that decision or run exists. */
export type Meaning =
  | { type: 'answers'; answers: { id: string; answer: string }[] }
  | { type: 'decision'; key: string; words: string; note: string | null }
  | { type: 'run'; key: string; verb: 'stop' | 'retry'; note: string | null }
  | { type: 'unclear'; open: ClarifyingQuestion[] }
  | { type: 'remark' }

/**
 * Reads a reply by its layout and by keys; it guesses nothing. Numbered lines answer the questions of those numbers, and a
 * plain text answers the only question that is open. A key of a decision, or a key of a run with stop or retry, asks for
 * something.
 */
export function meaningOf(text: string, questions: ClarifyingQuestion[]): Meaning {
  const numbered = numberedAnswers(text, questions)
  if (numbered) return { type: 'answers', answers: numbered }
  const [head = '', note] = headAndNote(text)
  const decisions = keysIn(head, /\bdec-[a-z0-9]{4}(?:[a-z0-9]{2})?\b/gi)
  if (decisions.length === 1)
    return { type: 'decision', key: decisions[0]!, words: head.replaceAll(anyKey, ' '), note }
  const runs = keysIn(head, /\brun-[a-z0-9]{4}(?:[a-z0-9]{2})?\b/gi)
  const verbs = new Set([...head.replaceAll(anyKey, ' ').matchAll(/\b(stop|retry)\b/gi)].map(lower))
  if (decisions.length === 0 && runs.length === 1 && verbs.size === 1)
    return { type: 'run', key: runs[0]!, verb: [...verbs][0] as 'stop' | 'retry', note }
  const open = questions.filter(({ answer }) => answer === null)
  if (open.length === 1) return { type: 'answers', answers: [{ id: open[0]!.id, answer: text.trim() }] }
  return open.length > 1 ? { type: 'unclear', open } : { type: 'remark' }
}

const anyKey = /\b(?:dec|run)-[a-z0-9]{4}(?:[a-z0-9]{2})?\b/gi
const lower = ([word]: RegExpMatchArray) => word!.toLowerCase()
const keysIn = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(lower))]

/** `retry run-7k2q: mind the old tests`: the text after the colon is for the person or agent that continues. */
function headAndNote(text: string): [string, string | null] {
  const [, head = text, note = ''] = /^([^:\n]*)[:\n]([\s\S]*)$/.exec(text.trim()) ?? []
  const isAfterKey = new RegExp(anyKey.source, 'i').test(head)
  return isAfterKey ? [head, note.trim() || null] : [text, null]
}

/** Null: the text does not begin with the number of a question. */
function numberedAnswers(text: string, questions: ClarifyingQuestion[]) {
  const parts: { number: number; lines: string[] }[] = []
  for (const line of text.trim().split('\n')) {
    const [, number, rest = ''] = /^\s*(?:q-?)?([1-9])\s*[:.)](.*)$/is.exec(line) ?? []
    if (number && Number(number) <= questions.length)
      parts.push({ number: Number(number), lines: [rest.trimStart()] })
    else if (parts.length === 0) return null
    else parts.at(-1)!.lines.push(line)
  }
  // Of two answers to one question the later one counts.
  const answers = new Map(parts.map(({ number, lines }) => [number, lines.join('\n').trim()]))
  const given = [...answers].filter(([, answer]) => answer !== '')
  return given.length > 0
    ? given.map(([number, answer]) => ({ id: questions[number - 1]!.id, answer }))
    : null
}

/** The one option that the words name by its number, id or label; undefined: none, or more than one. */
export function optionIn<T extends { id: string; label: string; action: string }>(
  words: string,
  options: T[],
): T | undefined {
  const plain = ` ${normal(words)} `
  const found = options.flatMap((option, index) => {
    const names = [`${index + 1}`, option.id, option.label, option.action].map(normal)
    const [named] = names
      .filter((name) => plain.includes(` ${name} `))
      .toSorted((one, other) => other.length - one.length)
    return named ? [{ option, named }] : []
  })
  // “Approve with changes” also holds “approve”: the longer name is meant, if it holds all the others.
  const [first, ...others] = found.toSorted((one, other) => other.named.length - one.named.length)
  const isPlain = others.every(
    ({ named }) => named !== first!.named && ` ${first!.named} `.includes(` ${named} `),
  )
  return isPlain ? first?.option : undefined
}

const normal = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
