import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { LongTextField } from '../ui/text-field.tsx'

export function NoteBox({ incident }: { incident: string }) {
  const [text, setText] = useState('')
  const note = useAction('incidents.note', { said: 'Note added', next: () => setText('') })
  return (
    <Form
      data-unprinted
      className="mt-2 flex flex-col gap-2"
      onSend={() => text.trim() && note.press({ incident, text })}
    >
      <LongTextField
        label="Add a note"
        hint="Shown with your name in the timeline and the audit log, and posted to the incident’s channels."
        rows={2}
        maxLength={maxNoteLength}
        value={text}
        onChange={setText}
        placeholder="What you saw or did"
      />
      <div>
        <Button type="submit" busy={note.isPending} disabled={text.trim() === ''}>
          Add note
        </Button>
      </div>
    </Form>
  )
}
