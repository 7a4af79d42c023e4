import { hasCommand } from '@signalbox/contract/shell-lines.ts'
import type { Answered } from '../../../ports/splitter.ts'
import { hasWords } from '../../stories/words.ts'

interface Gap {
  isOpen: (text: string) => boolean
  question: (text: string) => string
}

const vague =
  /\b(fast(er)?|quick(ly|er)?|slow(ly)?|nice(r|ly)?|eas(y|ier|ily)|good|better|best|improved?|user[- ]friendly|intuitive|modern|clean(er)?|robust|seamless(ly)?|appropriate(ly)?|etc)\b/i
const result =
  /\b(should|shall|must|can|cannot|will|wants?|needs?|able to|allow(s|ed)?|instead of|no longer|add(s|ed)?|remove[sd]?|replace[sd]?|show(s|n)?|send(s)?|fail(s|ed)?|creates?|exports?|downloads?|uploads?|prints?|deletes?|accepts?|rejects?|returns?|calculates?|converts?|supports?|lets?|enables?|becomes?|opens?|lists?|sorts?|filters?|rounds?|stores?|saves?|responds?|answers?)\b/i
const userOrWhere =
  /\b(as an?|users?|customers?|admin(s|istrators?)?|owners?|members?|people|person|team(s)?|visitors?|developers?|operators?|support|driver(s)?|seller(s)?|buyer(s)?|accountants?|page|screen|view|form|button|menu|dialog|endpoint|api|command|script|function|program|cli|e?-?mails?|notification|report|export|import|file|table|list|log|app|website|checkout|cart|dashboard|job|service|(?:on|in|at|for|of) (?:the|an?|our|all|every|each) [a-z])/i
/** A path, a file or a name in code: that is where. */
const place =
  /`[^`\n]{2,}`|(?:^|\s)\/[a-z]|\b\w{1,40}\.(?:[jt]sx?|py|go|rs|rb|java|css|html|sql|md|ya?ml|json)\b/i
/** A figure with its unit: what "fast" means is said. */
const measured =
  /(?:\d|\bone|\btwo|\bthree|\bhalf an?) ?(?:%|per ?cent|ms\b|milliseconds?|s\b|seconds?|minutes?|hours?|days?|clicks?|steps?|kb\b|mb\b|gb\b)/i
const check =
  /\b(so that|verify|verified|check(s|ed)?|shows?|shown|sees?|seen|visible|appears?|returns?|displays?|prints?|receives?|arrives?|contains?|equals?|outputs?|responds?|answers? with|fails? with|expect(s|ed)?|for example|e\.g\.|within \d+|at (most|least)|\d{1,9} ?(%|ms|seconds?|minutes?|hours?|days?))|->|=>|→/i
/** Words that hardly any English sentence of this length is without. */
const english =
  /\b(the|an?|is|are|to|of|and|it|in|for|on|with|as|we|i|not|this|that|make|add|fix|when|be|our|my|should|can)\b/i

const fewestWords = 8

/** What makes a requirement vague, most important first, and what is asked then. */
const gaps: Gap[] = [
  {
    isOpen: (text) => !hasWords(text, fewestWords),
    question: () => 'What is the problem or the goal, and why? Two or three sentences are enough.',
  },
  {
    isOpen: (text) => vague.test(text) && !measured.test(text),
    question: (text) =>
      `What does “${vague.exec(text)![0]}” mean here? What would you measure, and what result is good enough?`,
  },
  {
    isOpen: (text) => !userOrWhere.test(text) && !place.test(text),
    question: () => 'Who is it for, and where do they see it: which page, endpoint, command or message?',
  },
  {
    isOpen: (text) => !result.test(text),
    question: () => 'What will people be able to see or do that they can’t today?',
  },
  {
    isOpen: (text) => !check.test(text) && !hasCommand(text),
    question: () => 'How would you check that it’s done? What do you do, and what do you see?',
  },
]

/** What people type when they have no answer. */
const noAnswer = /^(\?+|-+|n\/?a|none|tbd|todo|no idea|(i )?do(n'|n’| no)t know|unknown|not sure)[.!]?$/i

/**
 * The questions that neither the text nor an answer settles. A text that is not English can only be measured: asking
 * what it may well say would be worse than asking nothing.
 */
export function openQuestions(text: string, answers: Answered[]): string[] {
  const given = answers.filter(({ answer }) => answer.trim() !== '' && !noAnswer.test(answer.trim()))
  const known = [text, ...given.map(({ answer }) => answer)].join('\n')
  const readable = english.test(text) ? gaps : gaps.slice(0, 1)
  return readable
    .filter(({ isOpen }) => isOpen(text) && isOpen(known))
    .map(({ question }) => question(text))
    .filter((question) => !given.some((answer) => answer.question === question))
}
