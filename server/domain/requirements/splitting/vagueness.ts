import type { Answered } from '../../ports/splitter.ts'
import { wordsIn } from './outline.ts'

interface Gap {
  isOpen: (text: string) => boolean
  question: (text: string) => string
}

const vague =
  /\b(fast(er)?|quick(ly|er)?|slow(ly)?|nice(r|ly)?|eas(y|ier|ily)|good|better|best|improved?|user[- ]friendly|intuitive|modern|clean(er)?|robust|seamless(ly)?|appropriate(ly)?|etc)\b/i
const result =
  /\b(should|shall|must|can|cannot|will|wants?|needs?|able to|allow(s|ed)?|instead of|no longer|add(s|ed)?|remove[sd]?|replace[sd]?|show(s|n)?|send(s)?|fail(s|ed)?)\b/i
const userOrWhere =
  /\b(as an?|users?|customers?|admin(s|istrators?)?|owners?|members?|people|person|team(s)?|visitors?|developers?|operators?|support|driver(s)?|seller(s)?|buyer(s)?|page|screen|view|form|button|menu|dialog|endpoint|api|command|e?-?mails?|notification|report|export|import|file|table|list|log|app|website|checkout|cart|dashboard|job|service)\b/i
const check =
  /\b(so that|verify|verified|check(s|ed)?|shows?|shown|sees?|seen|visible|appears?|returns?|displays?|prints?|receives?|arrives?|contains?|within \d+|at (most|least)|\d{1,9} ?(%|ms|seconds?|minutes?|hours?|days?))/i

const fewestWords = 8

/** What makes a requirement vague, most important first, and what is asked then. */
const gaps: Gap[] = [
  {
    isOpen: (text) => wordsIn(text) < fewestWords,
    question: () => 'What is the problem or the goal, and why? Two or three sentences are enough.',
  },
  {
    isOpen: (text) => vague.test(text),
    question: (text) =>
      `What does “${vague.exec(text)![0]}” mean here? What would you measure, and what result is good enough?`,
  },
  {
    isOpen: (text) => !userOrWhere.test(text),
    question: () => 'Who is it for, and where do they see it: which page, endpoint, command or message?',
  },
  {
    isOpen: (text) => !result.test(text),
    question: () => 'What will people be able to see or do that they can’t today?',
  },
  {
    isOpen: (text) => !check.test(text),
    question: () => 'How would you check that it’s done? What do you do, and what do you see?',
  },
]

/** Said by whoever has no answer. */
const noAnswer = /^(\?+|-+|n\/?a|none|tbd|todo|no idea|(i )?do(n'|n’| no)t know|unknown|not sure)[.!]?$/i

/** The questions that neither the text nor an answer settles. */
export function openQuestions(text: string, answers: Answered[]): string[] {
  const given = answers.filter(({ answer }) => answer.trim() !== '' && !noAnswer.test(answer.trim()))
  const known = [text, ...given.map(({ answer }) => answer)].join('\n')
  return gaps
    .filter(({ isOpen }) => isOpen(text) && isOpen(known))
    .map(({ question }) => question(text))
    .filter((question) => !given.some((answer) => answer.question === question))
}
