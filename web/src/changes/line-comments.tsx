import { MessageSquarePlus, X } from 'lucide-react'
import { createContext, useContext, useSyncExternalStore } from 'react'
import { IconButton } from '../ui/button.tsx'
import { Textarea } from '../ui/field.tsx'
import type { Place } from './comment.ts'
import type { Line } from './hunks.ts'

/** Where comments on lines are kept until they are sent. Without it, lines can only be read. */
export interface CommentsKept {
  subscribe: (listener: () => void) => () => void
  /** Undefined where there is none; empty where one was begun. */
  textAt: (place: Place) => string | undefined
  /** Without a text it is removed. */
  write: (place: Place, text: string | undefined) => void
}

export const Commenting = createContext<CommentsKept | null>(null)

/** Of the file around. */
export const PathShown = createContext('')

const placeOf = (path: string, { kind, text, before, after }: Line): Place =>
  kind === 'removed'
    ? { path, side: 'before', line: before!, code: text }
    : { path, side: 'after', line: after!, code: text }

/** The comment on a line, and the button that begins one: shown where the pointer is, or by its key. */
export function CommentOn({ line }: { line: Line }) {
  const [kept, path] = [useContext(Commenting), useContext(PathShown)]
  return kept && <Comment kept={kept} place={placeOf(path, line)} />
}

function Comment({ kept, place }: { kept: CommentsKept; place: Place }) {
  const text = useSyncExternalStore(kept.subscribe, () => kept.textAt(place))
  if (text === undefined)
    return (
      <button
        type="button"
        // Thousands of lines would be thousands of stops; the keyboard's way is the line itself and its key.
        tabIndex={-1}
        data-comment
        aria-label={`Comment on line ${place.line}`}
        onClick={() => kept.write(place, '')}
        className="absolute top-0 right-1 rounded-sm bg-surface px-1 leading-5 text-accent opacity-0 group-hover:opacity-100 group-focus:opacity-100 pointer-coarse:opacity-70"
      >
        <MessageSquarePlus size={14} aria-hidden="true" className="inline" />
      </button>
    )
  return (
    <div className="my-1 flex max-w-prose items-start gap-1 font-sans whitespace-normal">
      <Textarea
        autoFocus={text === ''}
        rows={2}
        value={text}
        aria-label={`Comment on line ${place.line}`}
        placeholder="Describe what to change"
        onChange={(event) => kept.write(place, event.target.value)}
        onBlur={() => text.trim() === '' && kept.write(place, undefined)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          event.currentTarget.closest('tr')?.focus()
        }}
      />
      <IconButton label="Remove comment" onClick={() => kept.write(place, undefined)}>
        <X size={14} />
      </IconButton>
    </div>
  )
}
