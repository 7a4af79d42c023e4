import type { StoryPage } from '@signalbox/contract/app/stories.ts'
import { type FormEvent, useState } from 'react'
import { Failure, read } from '../api/client.ts'
import { useWorkspace, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input, Select, Textarea } from '../ui/field.tsx'
import { complain, say } from '../ui/toast.tsx'
import { TrackerHint } from './content.tsx'
import { CriteriaFields } from './criteria-fields.tsx'
import { changesBetween, type Edited, editedOf, merge, type Part, partNames } from './editing.ts'
import { LeaveGuard } from './leave-guard.tsx'
import { classNames, complexities, sizes, spoken } from './words.ts'

const inARow = new Intl.ListFormat('en')

/** The story as a form, in its place. What is typed survives whatever else happens to the story. */
export function StoryEditor({ story, onClose }: { story: StoryPage; onClose: () => void }) {
  const ws = useWorkspace()
  const edit = useWrite('stories.edit', { alsoStale: ['requirements', 'teams'] })
  const [base, setBase] = useState({ readAt: story.updatedAt, edited: editedOf(story) })
  const [edited, setEdited] = useState(base.edited)
  /** Parts that somebody else changed while this was being typed. */
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
      },
      {
        onSuccess: ({ score }) => {
          say(score === 100 ? 'Saved; the story is ready' : `Saved; readiness is ${score} of 100`)
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

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isDirty && !edit.isPending) send(base.readAt)
  }
  const fromTracker = story.tracker !== null
  return (
    <form onSubmit={submit} className="mb-8 flex flex-col gap-5" aria-label={`Edit ${story.key}`}>
      <Field label="Title" hint={story.tracker && <TrackerHint tracker={story.tracker} />}>
        {(ids) => (
          <Input
            {...ids}
            required
            maxLength={200}
            disabled={fromTracker}
            value={edited.title}
            onChange={({ target }) => set('title', target.value)}
          />
        )}
      </Field>
      <Field label="Description" hint={fromTracker ? 'Change it in the tracker.' : 'Markdown.'}>
        {(ids) => (
          <Textarea
            {...ids}
            rows={8}
            maxLength={50_000}
            disabled={fromTracker}
            value={edited.description}
            onChange={({ target }) => set('description', target.value)}
          />
        )}
      </Field>
      <CriteriaFields
        criteria={edited.acceptanceCriteria}
        onChange={(criteria) => set('acceptanceCriteria', criteria)}
      />
      <Field label="Demonstrate" hint="The steps by which a person sees that it works.">
        {(ids) => (
          <Textarea
            {...ids}
            rows={4}
            maxLength={10_000}
            value={edited.demonstrate}
            onChange={({ target }) => set('demonstrate', target.value)}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label="Size">
          {(ids) => (
            <Select
              {...ids}
              value={edited.size ?? ''}
              onChange={({ target }) => set('size', (target.value || null) as Edited['size'])}
            >
              <option value="">Not sized</option>
              {sizes.map((size) => (
                <option key={size} value={size}>
                  {size.toUpperCase()}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Complexity">
          {(ids) => (
            <Select
              {...ids}
              value={edited.complexity ?? ''}
              onChange={({ target }) => set('complexity', (target.value || null) as Edited['complexity'])}
            >
              <option value="">Not rated</option>
              {complexities.map((complexity) => (
                <option key={complexity} value={complexity}>
                  {spoken(complexity)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Class of service">
          {(ids) => (
            <Select
              {...ids}
              value={edited.classOfService}
              onChange={({ target }) => set('classOfService', target.value as Edited['classOfService'])}
            >
              {Object.entries(classNames).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      {theirs && (
        <div role="alert" className="rounded-lg border bg-warn-soft p-3 text-[13px]">
          <p className="font-semibold">
            Somebody changed the {inARow.format(theirs.parts.map((part) => partNames[part]))} too
          </p>
          <p className="mt-1">
            What you typed is still here. Saving puts it in place of theirs; taking theirs loses what you
            typed in those fields.
          </p>
          <Button
            className="mt-2"
            onClick={() => {
              const taken = Object.fromEntries(theirs.parts.map((part) => [part, theirs.edited[part]]))
              setEdited({ ...edited, ...taken })
              setTheirs(null)
            }}
          >
            Take theirs
          </Button>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look="primary"
          busy={edit.isPending}
          forbidden={!isDirty && 'Nothing is changed'}
        >
          Save
        </Button>
        <Button onClick={onClose}>{isDirty ? 'Discard' : 'Close'}</Button>
      </div>
      <LeaveGuard when={isDirty && !edit.isSuccess} what={story.key} />
    </form>
  )
}
