import { maxNameLength } from '@signalbox/contract/limits.ts'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Form } from './form.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { Refused } from './refused.tsx'
import { TextField } from './text-field.tsx'

/** A name, what else can be changed beside it, and the button that saves both. */
export function NamedForm({
  name,
  onName,
  forbidden,
  isChanged,
  saving: { isPending, error },
  onSave,
  children,
}: {
  name: string
  onName: (name: string) => void
  forbidden: string | false
  isChanged: boolean
  saving: { isPending: boolean; error: Error | null }
  onSave: () => void
  children: ReactNode
}) {
  const may = !forbidden
  return (
    <Form className="flex max-w-2xl flex-col gap-4" onSend={() => may && isChanged && !isPending && onSave()}>
      <LeaveGuard onTab when={isChanged && !isPending} what={name} />
      <TextField
        label="Name"
        required
        maxLength={maxNameLength}
        disabled={!may}
        value={name}
        onChange={onName}
      />
      {children}
      <Refused error={error} />
      <div>
        <Button type="submit" busy={isPending} forbidden={forbidden} disabled={may && !isChanged}>
          Save changes
        </Button>
      </div>
    </Form>
  )
}
