import type { DemoCriterion } from '../script.ts'

/** Small ways of writing the demo data with less repetition. */

export const paragraphs = (...parts: string[]) => parts.join('\n\n')

export const list = (...items: string[]) => items.map((item) => `- ${item}`).join('\n')

export const steps = (...items: string[]) => items.map((item, index) => `${index + 1}. ${item}`).join('\n')

/** Acceptance criteria with their results, numbered ac-1, ac-2 and so on. */
export const checked = (minutesAgo: number, ...results: ['passed' | 'failed', string][]): DemoCriterion[] =>
  results.map(([status, text], index) => ({
    id: `ac-${index + 1}`,
    text,
    status,
    verifiedMinutesAgo: minutesAgo,
  }))

export const passed = (minutesAgo: number, ...texts: string[]): DemoCriterion[] =>
  texts.map((text, index) => ({
    id: `ac-${index + 1}`,
    text,
    status: 'passed',
    verifiedMinutesAgo: minutesAgo,
  }))

export const unverified = (...texts: string[]): DemoCriterion[] =>
  texts.map((text, index) => ({
    id: `ac-${index + 1}`,
    text,
    status: 'unverified',
    verifiedMinutesAgo: null,
  }))
