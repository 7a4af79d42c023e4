import { useSyncExternalStore } from 'react'

/** An answer that is not sent yet. */
export interface Draft {
  optionId: string | null
  note: string
}

const nothing: Draft = { optionId: null, note: '' }
const drafts = new Map<string, Draft>()
const listeners = new Set<() => void>()

/** A note outlives a reload and a sign-in in between; a choice does not, so that nothing is half decided by yesterday. */
const kept = (id: string) => `signalbox.note.${id}`

const idOf = (workspace: string, key: string) => `${workspace}/${key}`

function draftOf(id: string): Draft {
  const known = drafts.get(id)
  if (known) return known
  const note = sessionStorage.getItem(kept(id))
  const draft = note ? { ...nothing, note } : nothing
  drafts.set(id, draft)
  return draft
}

export function changeDraft(workspace: string, key: string, changed: Partial<Draft>): void {
  const id = idOf(workspace, key)
  const draft = { ...draftOf(id), ...changed }
  drafts.set(id, draft)
  if (draft.note) sessionStorage.setItem(kept(id), draft.note)
  else sessionStorage.removeItem(kept(id))
  for (const listener of listeners) listener()
}

export const dropDraft = (workspace: string, key: string): void => changeDraft(workspace, key, nothing)

/** The draft for a decision: the same in the inbox and on its page. */
export const useDraft = (workspace: string, key: string): Draft =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => draftOf(idOf(workspace, key)),
  )
