import type { Sentence, Target } from '@signalbox/contract/app/night-report.ts'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { plainLine } from '../../plain-text.ts'

/** One page: what is left over is a sentence that leads to the list. */
const mostSentences = 12

export type Tone = Sentence['tone']

export const sentence = (
  text: string,
  target: Target,
  tone: Tone = 'neutral',
  at: string | null = null,
): Sentence => ({ text: plainLine(text), target, tone, at })

/** The first few, and what leads to the others. */
export function section<S extends Sentence>(
  sentences: S[],
  rest: (left: number) => Sentence,
): { sentences: S[]; more: Sentence | null } {
  const left = sentences.length - mostSentences
  // Saying that there is one more takes as much room as the one.
  if (left <= 1) return { sentences, more: null }
  return { sentences: sentences.slice(0, mostSentences), more: rest(left) }
}

export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : several}`

/** What a run works on, and its key: two runs may work on the same story. */
export const runName = ({ entity, runKey }: Pick<AuditEntry, 'entity' | 'runKey'>): string => {
  const key = runKey ?? entity.id
  return entity.type === 'run' && entity.name ? `${entity.name} (${key})` : key
}
