import { maxPathLength } from '@signalbox/contract/limits.ts'
import { Lock, Plus, X } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { Input } from '../ui/field.tsx'

interface Props {
  paths: string[]
  locked: string[]
  disabled: boolean
  onChange: (paths: string[]) => void
}

/** Globs that a run may not change. What is Always denied stands first, locked. */
export function DeniedPaths({ paths, locked, disabled, onChange }: Props) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const remove = (path: string) => {
    onChange(paths.filter((other) => other !== path))
    // The button that was pressed goes with its path.
    field.current?.focus()
  }
  const add = () => {
    const path = typed.trim()
    if (path && !paths.includes(path)) onChange([...paths, path])
    setTyped('')
  }
  return (
    <div>
      <ul className="mb-2 flex flex-col gap-1">
        {locked.map((path) => (
          <li key={path} className="flex min-h-8 items-center gap-2 rounded-md border bg-bg px-2.5">
            <Lock size={14} aria-hidden="true" className="shrink-0 text-muted" />
            <code className="min-w-0 flex-1 font-mono text-xs break-all">{path}</code>
            <span className="text-xs text-muted">Always denied</span>
          </li>
        ))}
        {paths
          .filter((path) => !locked.includes(path))
          .map((path) => (
            <li key={path} className="flex min-h-8 items-center gap-2 rounded-md border pl-2.5">
              <code className="min-w-0 flex-1 font-mono text-xs break-all">{path}</code>
              {!disabled && (
                <IconButton label={`Remove ${path}`} onClick={() => remove(path)}>
                  <X size={14} />
                </IconButton>
              )}
            </li>
          ))}
      </ul>
      {!disabled && (
        <>
          <label htmlFor={id} className="sr-only">
            Add a denied path
          </label>
          <div className="flex gap-2">
            <Input
              ref={field}
              id={id}
              placeholder="infra/**"
              maxLength={maxPathLength}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              // A path that someone typed and did not add would look denied and not be.
              onBlur={add}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return
                // Enter adds the path; it does not send the form.
                event.preventDefault()
                add()
              }}
              className="font-mono text-xs"
            />
            <Button icon={<Plus size={14} />} onClick={add} forbidden={!typed.trim() && 'Enter a path first'}>
              Add
            </Button>
          </div>
        </>
      )}
    </div>
  )
}
