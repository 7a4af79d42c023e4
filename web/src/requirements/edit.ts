import type { Draft, DraftEdit } from '@signalbox/contract/app/requirements.ts'

/** A draft as a form holds it: everything is text. */
export interface Typed {
  title: string
  description: string
  /** One criterion a line. */
  criteria: string
  demonstrate: string
  size: string
}

export const typedFrom = (draft: Draft): Typed => ({
  title: draft.title,
  description: draft.description,
  criteria: draft.acceptanceCriteria.map(({ text }) => text.replaceAll('\n', ' ')).join('\n'),
  demonstrate: draft.demonstrate ?? '',
  size: draft.size ?? '',
})

/** What differs from the draft. Only that is sent, so that nothing else is written over. */
export function editFrom(draft: Draft, typed: Typed): DraftEdit {
  const before = typedFrom(draft)
  const isChanged = (field: keyof Typed) => typed[field].trim() !== before[field].trim()
  return {
    ...(isChanged('title') ? { title: typed.title } : {}),
    ...(isChanged('description') ? { description: typed.description } : {}),
    ...(isChanged('criteria') ? { acceptanceCriteria: linesOf(typed.criteria) } : {}),
    ...(isChanged('demonstrate') ? { demonstrate: typed.demonstrate.trim() || null } : {}),
    ...(isChanged('size') ? { size: (typed.size || null) as Draft['size'] } : {}),
  }
}

/** Also as a pasted list: the marks of its lines are not part of them. */
const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, '').trim())
    .filter((line) => line !== '')
