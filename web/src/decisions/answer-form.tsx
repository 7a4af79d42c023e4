import type { DecisionInFull, DecisionPage } from '@signalbox/contract/app/decisions.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { needsGuidance, needsNote } from '@signalbox/contract/note-needed.ts'
import { type RefObject, useRef } from 'react'
import type { Failure } from '../api/client.ts'
import { useWorkspace } from '../api/queries.ts'
import { grouped } from '../browser/formats.ts'
import { useShortcuts } from '../browser/shortcuts.ts'
import { Kbd } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Field, Textarea } from '../ui/field.tsx'
import { lengthNear } from '../ui/text-field.tsx'
import type { Answering } from './answering.ts'
import { changeDraft, useDraft } from './drafts.ts'
import { guidanceOf } from './guidance.ts'
import { OptionChoices } from './option-choices.tsx'
import { lengthOf } from './wording.ts'

const isMac = /Mac/.test(navigator.platform)
const counted = (characters: number) =>
  characters === 1 ? '1 character' : `${grouped(characters)} characters`

interface AnswerFormProps {
  decision: DecisionInFull
  full: DecisionPage
  answering: Answering
  /** Where Escape leads from the note. */
  leave?: (() => void) | undefined
}

/**
 * Choosing and sending an answer. A number chooses and shows what would happen, with the confirmation in focus; Enter
 * then sends. So two different keys are needed, and neither does it alone.
 */
export function AnswerForm({ decision, full, answering, leave }: AnswerFormProps) {
  const ws = useWorkspace()
  const draft = useDraft(ws, decision.key)
  const confirm = useRef<HTMLButtonElement>(null)
  const note = useRef<HTMLTextAreaElement>(null)
  const option = decision.options.find(({ id }) => id === draft.optionId)
  // Comments on lines say what to change; to any other answer they would be beside the point.
  const takesComments = option?.action === 'request_changes'
  const said = takesComments ? guidanceOf(draft.note, draft.comments) : draft.note
  const isSending = answering.isSending(decision.key)
  const failure = answering.failureOf(decision.key)
  const excess = lengthOf(said) - maxNoteLength
  const consequence = full.consequences.find(({ optionId }) => optionId === option?.id)?.sentence
  const cannot = full.forbidden ?? whyNotYet(option, said)

  const choose = (optionId: string) => changeDraft(ws, decision.key, { optionId })
  const send = () => {
    if (!cannot && !isSending) answering.send(decision.key, { ...draft, note: said })
  }
  const pick = (index: number) => {
    const picked = decision.options[index]
    if (!picked || isSending) return
    choose(picked.id)
    const field = needsNote(picked) && !draft.note.trim() && draft.comments.length === 0 ? note : confirm
    field.current?.focus()
  }
  useShortcuts({
    ...Object.fromEntries(
      decision.options.map(({ label }, index) => [
        String(index + 1),
        { what: `Choose “${label}”`, run: () => pick(index) },
      ]),
    ),
    n: { what: 'Write a note', run: () => note.current?.focus() },
    'mod+enter': {
      what: 'Send answer',
      run: () => {
        // Something lies over the screen: what is below must not be sent unseen.
        if (!document.querySelector('[role="dialog"]')) send()
      },
    },
  })

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <OptionChoices
        decision={decision}
        consequences={full.consequences}
        chosen={draft.optionId}
        onChoose={choose}
      />
      <div className="mt-4">
        <Field
          label={option && needsNote(option) && draft.comments.length === 0 ? 'Note' : 'Note (optional)'}
          error={excess > 0 ? `${counted(excess)} over the limit` : undefined}
          hint={hintOf(draft.comments.length, takesComments, lengthOf(said))}
        >
          {(ids) => (
            <Textarea
              {...ids}
              ref={note}
              rows={3}
              readOnly={isSending}
              value={draft.note}
              placeholder="Add context or guidance"
              className="scroll-mb-32"
              onChange={(event) => changeDraft(ws, decision.key, { note: event.target.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Escape') return
                event.preventDefault()
                if (option) confirm.current?.focus()
                else leave?.()
              }}
            />
          )}
        </Field>
      </div>
      <ConfirmBar
        decision={decision}
        option={option}
        says={isSending ? 'Sending…' : (cannot ?? consequence)}
        cannotSend={cannot !== null}
        isSending={isSending}
        failure={failure}
        hasNote={draft.note !== ''}
        button={confirm}
      />
    </form>
  )
}

/** What goes with the note, and how much room is left where there is little. */
function hintOf(comments: number, areSent: boolean, length: number): string | undefined {
  const them = comments === 1 ? '1 comment on a line' : `${comments} comments on lines`
  const parts = [
    ...(comments > 0 ? [areSent ? `Sent with ${them}.` : `${them} won’t be sent with this answer.`] : []),
    lengthNear(length, maxNoteLength),
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(' ') : undefined
}

/** What is still missing before an answer can be sent. */
function whyNotYet(option: DecisionInFull['options'][number] | undefined, note: string): string | null {
  if (!option) return 'Choose an answer.'
  if (needsNote(option) && !note.trim())
    return needsGuidance(option) ? 'Add a note to say what to change.' : 'Write your answer in the note.'
  const excess = lengthOf(note) - maxNoteLength
  if (excess > 0) return `Shorten the note by ${counted(excess)}.`
  return null
}

/** What would happen, what has gone wrong, and the button that does it: always in sight. */
function ConfirmBar({
  decision,
  option,
  says,
  cannotSend,
  isSending,
  failure,
  hasNote,
  button,
}: {
  decision: DecisionInFull
  option: DecisionInFull['options'][number] | undefined
  says: string | undefined
  cannotSend: boolean
  isSending: boolean
  failure: Failure | undefined
  hasNote: boolean
  button: RefObject<HTMLButtonElement | null>
}) {
  return (
    <div className="sticky bottom-[calc(3.5rem+env(safe-area-inset-bottom))] z-10 -mx-4 mt-3 border-t bg-surface px-4 py-3 md:bottom-0 md:-mx-8 md:px-8 in-data-inset:mx-0! in-data-inset:px-0!">
      {failure && (
        <p role="alert" className="mb-2 text-sm text-danger">
          Couldn’t send your answer. {failure.message}
          {hasNote && ' Your note is still here.'}
          {failure.requestId && <span className="block font-mono text-xs">Request {failure.requestId}</span>}
        </p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p
          id={`says-${decision.key}`}
          role="status"
          className="min-w-0 flex-1 basis-56 text-sm break-words text-muted"
        >
          {says}
        </p>
        <span className="flex max-w-full min-w-0 items-center gap-2">
          <span className="flex items-center gap-1 max-md:hidden" aria-hidden="true">
            <Kbd>{isMac ? '⌘' : 'Ctrl'}</Kbd>
            <Kbd>Enter</Kbd>
          </span>
          <Button
            ref={button}
            type="submit"
            look={option && /^(reject|abandon)$/.test(option.action) ? 'danger' : 'primary'}
            busy={isSending}
            // Not by `forbidden`: the reason stands beside it, and the button must stay the same one that has the focus.
            aria-disabled={cannotSend}
            aria-describedby={`says-${decision.key}`}
            className="h-auto! min-h-8 min-w-0 py-1 text-left whitespace-normal!"
          >
            {isSending ? 'Sending…' : (option?.label ?? 'Answer')}
          </Button>
        </span>
      </div>
    </div>
  )
}
