import type { Draft } from '@signalbox/contract/app/requirements.ts'
import { type FormEvent, useState } from 'react'
import type { Failure } from '../api/client.ts'
import { useWrite } from '../api/queries.ts'
import { sizes } from '../stories/words.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input, Select, Textarea } from '../ui/field.tsx'
import { complain, say } from '../ui/toast.tsx'
import { editFrom, type Typed, typedFrom } from './edit.ts'

/** Edits a draft in place. It is sent with the state it was begun from: what somebody else changed since is kept. */
export function DraftEditor({ draft, onDone }: { draft: Draft; onDone: () => void }) {
  const [begun, setBegun] = useState(draft)
  const [typed, setTyped] = useState(() => typedFrom(draft))
  const edit = useWrite('requirements.editDraft', { alsoStale: ['stories', 'teams'] })
  const changed = editFrom(begun, typed)
  const isStale = draft.updatedAt !== begun.updatedAt
  const set = (field: keyof Typed) => (event: { target: { value: string } }) =>
    setTyped({ ...typed, [field]: event.target.value })

  const save = (event: FormEvent) => {
    event.preventDefault()
    if (edit.isPending) return
    if (Object.keys(changed).length === 0) return onDone()
    edit.mutate(
      { key: draft.key, seen: begun.updatedAt, edit: changed },
      {
        onSuccess: ({ score }) => {
          say(score === 100 ? `Saved ${draft.key}: ready` : `Saved ${draft.key}: readiness ${score}`)
          onDone()
        },
        onError: (error: Failure) => {
          if (error.code !== 'changed_meanwhile') complain(error)
        },
      },
    )
  }
  /** What I typed stays; what I did not touch becomes what it is now. */
  const takeOver = () => {
    const [now, before] = [typedFrom(draft), typedFrom(begun)]
    const fields = Object.keys(now) as (keyof Typed)[]
    const merged = fields.map((field) => [field, typed[field] === before[field] ? now[field] : typed[field]])
    setTyped(Object.fromEntries(merged) as Typed)
    setBegun(draft)
    edit.reset()
  }
  return (
    <form onSubmit={save} className="flex flex-col gap-3" aria-label={`Edit ${draft.key}`}>
      <p className="font-mono text-xs text-muted">{draft.key}</p>
      {(isStale || edit.error?.code === 'changed_meanwhile') && (
        <div
          role="alert"
          className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-warn-soft px-3 py-2 text-[13px]"
        >
          <span>Somebody has changed this draft meanwhile. What you typed is still here.</span>
          <Button size="small" onClick={takeOver}>
            Take over their changes, keep mine
          </Button>
        </div>
      )}
      <Field label="Title">
        {(ids) => <Input {...ids} value={typed.title} maxLength={200} required onChange={set('title')} />}
      </Field>
      <Field label="Description" hint="Markdown">
        {(ids) => (
          <Textarea
            {...ids}
            rows={6}
            maxLength={50_000}
            value={typed.description}
            onChange={set('description')}
          />
        )}
      </Field>
      <Field label="Acceptance criteria" hint="One a line, each with a result that can be seen.">
        {(ids) => <Textarea {...ids} rows={5} value={typed.criteria} onChange={set('criteria')} />}
      </Field>
      <Field label="Demonstrate" hint="How a person sees that it works.">
        {(ids) => (
          <Textarea
            {...ids}
            rows={3}
            maxLength={10_000}
            value={typed.demonstrate}
            onChange={set('demonstrate')}
          />
        )}
      </Field>
      <Field label="Size">
        {(ids) => (
          <Select {...ids} value={typed.size} onChange={set('size')} className="w-32!">
            <option value="">None</option>
            {sizes.map((size) => (
              <option key={size} value={size}>
                {size.toUpperCase()}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look="primary"
          busy={edit.isPending}
          forbidden={isStale && 'Take over the other changes first'}
        >
          Save
        </Button>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
