import { useSyncExternalStore } from 'react'
import type { LineComment, Place } from '../changes/comment.ts'
import type { CommentsKept } from '../changes/line-comments.tsx'

/** An answer that is not sent yet. */
export interface Draft {
  optionId: string | null
  note: string
  /** On lines of the change; sent as part of the guidance of “Request changes”. */
  comments: LineComment[]
}

const nothing: Draft = { optionId: null, note: '', comments: [] }
const drafts = new Map<string, Draft>()
const listeners = new Set<() => void>()

/** Notes and comments outlive a reload and a sign-in in between; a choice does not, so that nothing is half decided by yesterday. */
const kept = (id: string) => `signalbox.note.${id}`
const keptComments = (id: string) => `signalbox.comments.${id}`

const idOf = (workspace: string, key: string) => `${workspace}/${key}`

function draftOf(id: string): Draft {
  const known = drafts.get(id)
  if (known) return known
  const note = sessionStorage.getItem(kept(id)) ?? ''
  const comments = JSON.parse(sessionStorage.getItem(keptComments(id)) ?? '[]') as LineComment[]
  const draft = { ...nothing, note, comments }
  drafts.set(id, draft)
  return draft
}

export function changeDraft(workspace: string, key: string, changed: Partial<Draft>): void {
  const id = idOf(workspace, key)
  const draft = { ...draftOf(id), ...changed }
  drafts.set(id, draft)
  if (draft.note) sessionStorage.setItem(kept(id), draft.note)
  else sessionStorage.removeItem(kept(id))
  if (draft.comments.length > 0) sessionStorage.setItem(keptComments(id), JSON.stringify(draft.comments))
  else sessionStorage.removeItem(keptComments(id))
  for (const listener of listeners) listener()
}

export const dropDraft = (workspace: string, key: string): void => changeDraft(workspace, key, nothing)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The draft for a decision: the same in the inbox and on its page. */
export const useDraft = (workspace: string, key: string): Draft =>
  useSyncExternalStore(subscribe, () => draftOf(idOf(workspace, key)))

const isAt = (place: Place) => (comment: LineComment) =>
  comment.path === place.path && comment.side === place.side && comment.line === place.line

/** Comments on the lines of what is decided about. The first one chooses the option that they are sent with. */
export const commentsOf = (workspace: string, key: string, requestsChanges: string): CommentsKept => ({
  subscribe,
  textAt: (place) => draftOf(idOf(workspace, key)).comments.find(isAt(place))?.text,
  write: (place, text) => {
    const { optionId, comments } = draftOf(idOf(workspace, key))
    const at = comments.findIndex(isAt(place))
    const isNew = at < 0
    const written = text === undefined ? [] : [{ ...place, text }]
    changeDraft(workspace, key, {
      ...(isNew && optionId === null && { optionId: requestsChanges }),
      comments: isNew ? [...comments, ...written] : comments.toSpliced(at, 1, ...written),
    })
  },
})
