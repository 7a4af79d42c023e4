import { useState } from 'react'
import { Failure, read } from '../api/client.ts'
import { useWorkspace, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { LeaveGuard } from '../ui/leave-guard.tsx'
import { complain, say } from '../ui/toast.tsx'
import {
  changesBetween,
  type Editable,
  type Edited,
  editedOf,
  merge,
  type Part,
  partNames,
} from './editing.ts'
import { StoryFields } from './story-fields.tsx'

const inARow = new Intl.ListFormat('en')

/** A story or a draft as a form, in its place. What is typed survives whatever else happens to it. */
export function StoryEditor({ story, onClose }: { story: Editable; onClose: () => void }) {
  const ws = useWorkspace()
  const edit = useWrite('stories.edit', { alsoStale: ['requirements', 'teams'] })
  const [base, setBase] = useState({ readAt: story.updatedAt, edited: editedOf(story) })
  const [edited, setEdited] = useState(base.edited)
  /** Parts that someone else changed while this was being typed. */
  const [theirs, setTheirs] = useState<{ parts: Part[]; edited: Edited } | null>(null)
  const changes = changesBetween(base.edited, edited)
  const isDirty = Object.keys(changes).length > 0
  const set = <P extends Part>(part: P, value: Edited[P]) => setEdited({ ...edited, [part]: value })

  const send = (readAt: string) =>
    edit.mutate(
      {
        key: story.key,
        readAt,
        ...changes,
        ...('demonstrate' in changes ? { demonstrate: changes.demonstrate || null } : {}),
        ...('testPlan' in changes ? { testPlan: changes.testPlan || null } : {}),
      },
      {
        onSuccess: ({ score }) => {
          say(`${story.key} saved, ${score === 100 ? 'it is ready' : `readiness is ${score} of 100`}`)
          onClose()
        },
        onError: (error) => void tell(error),
      },
    )

  /** Only where both changed the same part is there something to decide; the rest of both goes together. */
  async function tell(error: unknown) {
    if (!(error instanceof Failure) || error.code !== 'changed_meanwhile') return complain(error)
    try {
      const now = await read(ws, 'stories.read', { key: story.key })
      const merged = merge(base.edited, edited, editedOf(now))
      if (merged.both.length === 0) return send(now.updatedAt)
      setTheirs({ parts: merged.both, edited: editedOf(now) })
      setBase({ readAt: now.updatedAt, edited: editedOf(now) })
      setEdited(merged.edited)
    } catch (failure) {
      complain(failure)
    }
  }

  const submit = () => {
    if (isDirty && !edit.isPending) send(base.readAt)
  }
  return (
    <Form onSend={submit} className="flex flex-col gap-5 not-last:mb-8" aria-label={`Edit ${story.key}`}>
      <StoryFields story={story} edited={edited} set={set} />
      {theirs && (
        <div role="alert" className="rounded-lg border bg-warn-soft p-3 text-sm">
          <p className="font-semibold">
            Someone else changed the {inARow.format(theirs.parts.map((part) => partNames[part]))} too
          </p>
          <p className="mt-1">
            Your text is still here. Saving replaces theirs. Using theirs discards your text in those fields.
          </p>
          <Button
            className="mt-2"
            onClick={() => {
              const taken = Object.fromEntries(theirs.parts.map((part) => [part, theirs.edited[part]]))
              setEdited({ ...edited, ...taken })
              setTheirs(null)
            }}
          >
            Use theirs
          </Button>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look="primary"
          busy={edit.isPending}
          forbidden={!isDirty && 'No changes to save'}
        >
          Save changes
        </Button>
        <Button onClick={onClose}>{isDirty ? 'Discard' : 'Close'}</Button>
      </div>
      <LeaveGuard when={isDirty && !edit.isSuccess} what={story.key} />
    </Form>
  )
}
