import { dictionary } from '@signalbox/contract/dictionary.ts'
import { trimEnd } from '@signalbox/contract/trim-end.ts'
import { hasWords } from '../../stories/words.ts'
import { areStories, isListOfSentences, withListedCriteria } from './lists.ts'
import { aboutTheWhole, plain, type Steps, type Token, userStory } from './token.ts'

/** One thing that a requirement asks for, in the words that were found. */
export interface Part {
  title: string
  body: string
  criteria: string[]
  demonstrate: string | null
  testPlan: string | null
  size: string | null
}

export type SplitBy = 'headings' | 'list' | 'sentences' | 'nothing'

export interface Outline {
  by: SplitBy
  /** What was written about all parts together. */
  context: string
  parts: Part[]
  /** Whether there is a list that was kept together, because its entries are no sentences. */
  keptList: boolean
}

interface Block {
  is: 'criterion' | Steps
  byHeading: boolean
  /** It is in an entry of a numbered list. */
  inEntry: boolean
  used: boolean
  gap: boolean
}

/** Blocks of a story that people write under a name of their own. */
const blockNames: Record<string, Block['is']> = dictionary({
  'acceptance criteria': 'criterion',
  'acceptance criterion': 'criterion',
  criteria: 'criterion',
  ac: 'criterion',
  acs: 'criterion',
  'success criteria': 'criterion',
  'exit criteria': 'criterion',
  'done when': 'criterion',
  'done if': 'criterion',
  'it is done when': 'criterion',
  'it’s done when': 'criterion',
  "it's done when": 'criterion',
  'this is done when': 'criterion',
  'we are done when': 'criterion',
  'definition of done': 'criterion',
  dod: 'criterion',
  demonstrate: 'demonstrate',
  demonstration: 'demonstrate',
  'how to demonstrate': 'demonstrate',
  demo: 'demonstrate',
  'test plan': 'test plan',
  'how to test': 'test plan',
  testing: 'test plan',
})

const heading = /^ {0,3}(#{1,6})\s+(\S.*)$/
const item = /^(\s*)(?:[-*+•]|(\d{1,3})[.)])\s+(\S.*)$/
const checkbox = /^\[[ xX]\]\s*(\S.*)$/
const fenceMarks = /^(?:`{3,}|~{3,})/
const plainFence = /^[`~]+$/
const sizeLine = /^size\s*:\s*(xs|s|m|l|xl)$/i
const scenarioBegins = /^(given|when)\b/i
const scenarioGoesOn = /^(when|then|and|but)\b/i
const mostLinesOfAScenario = 20

/** Finds the stories in a text by how it is laid out. Nothing is rephrased: each word comes from the text. */
export function outlineOf(text: string): Outline {
  const tokens = withBlocks(tokensOf(text))
  const { by, begins, keptList } = wayToSplit(tokens)
  if (by === 'nothing') return { by, context: '', parts: partsOf([tokens], by), keptList }
  const context: Token[] = []
  const sections: Token[][] = []
  let whole = true
  tokens.forEach((token, index) => {
    if (begins.has(token)) {
      whole = by === 'headings' && aboutTheWhole.test(plain(token.text))
      if (!whole) sections.push([])
    } else if (by === 'list' && sections.length > 0) {
      // A paragraph after the list is about all of it; a block after the list is about its last entry.
      if (token.is !== 'text') whole &&= token.is === 'blank'
      else whole ||= token.indent === 0 && tokens[index - 1]?.is === 'blank'
    }
    if (whole) context.push(token)
    else sections.at(-1)!.push(by === 'list' ? setOut(token, begins.has(token)) : token)
  })
  return { by, context: lines(context), parts: partsOf(sections, by), keptList }
}

/** Turns the content of a list entry into top-level text, without marker or indentation. */
const setOut = (token: Token, begins: boolean): Token => ({
  ...token,
  raw: begins ? token.text : token.raw.replace(/^ {1,4}/, ''),
})

/** Lines, with what they look like. A line that holds several "As a …" sentences counts as several. */
function tokensOf(text: string): Token[] {
  let fence: string | null = null
  return text
    .split(/\r\n|\r|\n/)
    .flatMap((line) => line.split(/(?<=[.!?])\s+(?=as an?\s)/i))
    .map((raw): Token => {
      const indent = raw.length - raw.trimStart().length
      const base = { raw, text: raw.trim(), level: 0, indent, numbered: false, isCode: false }
      const marks = fenceMarks.exec(base.text)?.[0] ?? null
      // Nothing in a block of code is a heading, a list or the name of a block, and its blank lines end nothing.
      if (fence !== null || marks !== null) {
        const closes = fence !== null && base.text.startsWith(fence) && plainFence.test(base.text)
        fence = closes ? null : (fence ?? marks)
        return { ...base, is: 'text', isCode: true }
      }
      if (base.text === '') return { ...base, is: 'blank' }
      const headed = heading.exec(raw)
      if (headed) return { ...base, is: 'heading', level: headed[1]!.length, text: headed[2]!.trim() }
      const listed = item.exec(raw)
      if (listed) return { ...base, is: 'item', numbered: listed[2] !== undefined, text: listed[3]!.trim() }
      return { ...base, is: 'text' }
    })
}

/**
 * Marks what is in a block of criteria, under Demonstrate or in a test plan, and criteria recognisable by their form.
 */
function withBlocks(tokens: Token[]): Token[] {
  const marked: Token[] = []
  let block: Block | null = null
  let inEntry = false
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!
    const named = token.isCode ? null : blockNamed(token)
    if (named) {
      const byHeading = token.is === 'heading'
      block = { is: named.is, byHeading, inEntry, used: named.rest !== '', gap: false }
      if (named.rest) marked.push({ ...token, is: named.is, text: named.rest, raw: named.rest })
      continue
    }
    if (token.is === 'heading') {
      block = null
      inEntry = false
    }
    const size = token.isCode ? null : sizeLine.exec(plain(token.text))
    if (size) {
      marked.push({ ...token, is: 'size', text: size[1]!.toLowerCase() })
      continue
    }
    if (block && goesOn(block, token)) {
      if (token.is === 'blank') {
        // What comes before its first line is no gap: people leave a line free below a name.
        block.gap = block.used
        if (block.is !== 'criterion') marked.push({ ...token, is: block.is })
        continue
      }
      const last = block.used ? marked.at(-1) : undefined
      block.used = true
      if (block.is === 'criterion' && last && goesOnWith(last, token, tokens[index - 1]!))
        marked[marked.length - 1] = { ...last, text: `${last.text} ${token.text}` }
      else if (block.is === 'criterion')
        marked.push({ ...token, is: 'criterion', text: checkbox.exec(token.text)?.[1] ?? token.text })
      else marked.push({ ...token, is: block.is })
      continue
    }
    block = null
    inEntry ||= token.numbered && token.indent === 0
    const scenario = scenarioAt(tokens, index)
    const checked = token.is === 'item' ? checkbox.exec(token.text) : null
    if (scenario) {
      marked.push({ ...token, is: 'criterion', text: scenario.text })
      index += scenario.lines - 1
    } else if (checked) marked.push({ ...token, is: 'criterion', text: checked[1]! })
    else marked.push(token)
  }
  return marked
}

const key = (name: string) => plain(name).toLowerCase()

/** "AC 2: …" and "Acceptance criterion 2: …": each is one. */
const numberOfCriterion = /^(ac|acceptance criterion)[ #-]{0,2}\d{1,3}$/
/** "Done when the page shows …", without a colon. */
const doneWhen = /^(?:\*\*|__)?(?:it(?:'|’| i)s )?done (?:when|if)(?:\*\*|__)?[ ,]+(?=\S)/i

function blockNamed(token: Token): { is: Block['is']; rest: string } | null {
  const sentence = doneWhen.exec(token.text)
  if (sentence) return { is: 'criterion', rest: token.text.slice(sentence[0].length) }
  const [called = '', ...rest] = token.text.split(':')
  const name = key(called).replace(numberOfCriterion, '$1')
  const is = Object.hasOwn(blockNames, name) ? blockNames[name] : undefined
  // Without a colon it is a name only when it stands alone.
  if (is === undefined) return null
  const said = rest.join(':').replace(/^[\s*_]+/, '')
  return { is, rest: said.trim() }
}

/** A block under a heading reaches to the next one; a block after a name reaches to the end of its paragraph or list. */
function goesOn(block: Block, token: Token): boolean {
  if (token.is === 'heading') return false
  if (block.byHeading || token.is === 'blank') return true
  if (token.isCode && block.is !== 'criterion') return true
  // The next entry of a numbered list is the next story, not a further criterion.
  if (token.numbered && token.indent === 0 && block.inEntry) return false
  if (!block.gap || !block.used) return true
  return block.is === 'criterion' && token.is === 'item'
}

/** Whether a line of a block goes on with the criterion above it: it is set in, or in the middle of a sentence. */
function goesOnWith(last: Token, token: Token, before: Token): boolean {
  if (last.is !== 'criterion') return false
  if (isScenario(last.text) && isNextStep(last.text, token.text)) return true
  const isInside = token.indent > 0 || /^\p{Ll}/u.test(token.text)
  return token.is === 'text' && before.is !== 'blank' && isInside
}

const isScenario = (text: string) => scenarioBegins.test(text)
/** A When after the Then is the next scenario. */
const isNextStep = (scenario: string, line: string) =>
  scenarioGoesOn.test(line) && !(/^when\b/i.test(line) && /\bthen\b/i.test(scenario))

/** Given, When and Then on one line or on lines that follow each other; without a Then it is a sentence like others. */
function scenarioAt(tokens: Token[], index: number): { text: string; lines: number } | null {
  const lines = [tokens[index]!.text]
  if (tokens[index]!.is === 'heading' || !isScenario(lines[0]!)) return null
  for (const next of tokens.slice(index + 1, index + mostLinesOfAScenario)) {
    if ((next.is !== 'text' && next.is !== 'item') || !isNextStep(lines.join(' '), next.text)) break
    lines.push(next.text)
  }
  const text = lines.join(' ')
  return /\bthen\b/i.test(text) ? { text, lines: lines.length } : null
}

interface Way {
  by: SplitBy
  /** The tokens with which a part begins. */
  begins: Set<Token>
  keptList: boolean
}

/** Headings before sentences before lists: the coarsest layout that names more than one thing. */
function wayToSplit(tokens: Token[]): Way {
  const headings = tokens.filter(({ is }) => is === 'heading')
  for (const level of [1, 2, 3, 4, 5, 6]) {
    const begins = new Set(headings.filter((token) => token.level === level))
    if ([...begins].filter(({ text }) => !aboutTheWhole.test(plain(text))).length >= 2)
      return { by: 'headings', begins, keptList: false }
  }
  const wishes = new Set(tokens.filter(({ is, text }) => is === 'text' && userStory.test(text)))
  if (wishes.size >= 2) return { by: 'sentences', begins: wishes, keptList: false }
  const top = tokens.filter(({ is, indent }) => is === 'item' && indent <= 1)
  const numbered = top.filter((token) => token.numbered).length >= 2
  const entries = top.filter((token) => token.numbered === numbered)
  const isList = entries.length >= 2
  if (isList && isListOfSentences(entries) && areStories(tokens, entries))
    return { by: 'list', begins: new Set(entries), keptList: false }
  return { by: 'nothing', begins: new Set(), keptList: isList && !isListOfSentences(entries) }
}

const partsOf = (sections: Token[][], by: SplitBy): Part[] =>
  sections
    .map((section) => partOf(withListedCriteria(section, by === 'list')))
    .filter((part) => part !== null)

function partOf(section: Token[]): Part | null {
  const of = (is: Token['is']) => section.filter((token) => token.is === is)
  const steps = (is: Steps) =>
    of(is)
      .map(({ raw, isCode }) => (isCode ? raw.trimEnd() : raw.trim()))
      .join('\n')
      .trim() || null
  const criteria = of('criterion').map(({ text }) => text)
  const body = lines(
    section.filter(({ is }) => !['criterion', 'demonstrate', 'test plan', 'size'].includes(is)),
  )
  const [headed] = of('heading')
  const title = titleOf(headed?.text ?? '') || titleOf(opening(section)) || titleOf(criteria[0] ?? '')
  if (!title) return null
  const named = headed?.raw.trim() ?? (body.startsWith(`${title}\n\n`) ? title : null)
  return {
    title,
    // A heading, or a line of its own, that became the title is not repeated.
    body: named === null ? body : body.replace(named, '').trim(),
    criteria,
    demonstrate: steps('demonstrate'),
    testPlan: steps('test plan'),
    size: of('size')[0]?.text ?? null,
  }
}

/** The first paragraph that says enough, with what is before it; or the first entry of a list with what belongs to it. */
function opening(section: Token[]): string {
  const said: string[] = []
  for (const { is, text } of section) {
    if (is === 'item' && said.length > 0) break
    if (is === 'blank' && hasWords(said.join(' '), fewestWordsOfATitle)) break
    if (is === 'text' || is === 'item') said.push(text)
  }
  return said.join(' ')
}

const lines = (tokens: Token[]): string =>
  tokens
    .map(({ raw }) => raw.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

const longestTitle = 120
const fewestWordsOfATitle = 3

/** What is wanted, of an "As a …" sentence; otherwise the first sentence. */
function titleOf(text: string): string {
  const line = plain(text)
  const wish = userStory.exec(line)
  const goal = wish
    ? line
        .slice(wish[0].length)
        .replace(/^\s*to\s+/i, '')
        .split(/,? so that /i)[0]!
    : line
  const sentences = plain(goal).split(/(?<=[.!?])\s+/)
  let title = sentences.shift() ?? ''
  while (!hasWords(title, fewestWordsOfATitle) && sentences.length > 0) title += ` ${sentences.shift()}`
  title = trimEnd(title, ' .:;,')
  return clipped(title.charAt(0).toUpperCase() + title.slice(1))
}

function clipped(title: string): string {
  if (title.length <= longestTitle) return title
  const space = title.lastIndexOf(' ', longestTitle)
  // Where there is no space, a letter of two halves must not be cut in the middle.
  const cut = title.slice(0, space > 0 ? space : longestTitle).replace(/[\uD800-\uDBFF]$/, '')
  return `${cut}…`
}
