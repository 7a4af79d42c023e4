import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { LongTextField } from '../ui/text-field.tsx'
import { complain, say } from '../ui/toast.tsx'

export function NoteBox({ incident }: { incident: string }) {
  const [text, setText] = useState('')
  const note = useWrite('incidents.note')
  const send = () =>
    note.mutate(
      { incident, text },
      {
        onSuccess: () => {
          setText('')
          say('Note added')
        },
        onError: complain,
      },
    )
  return (
    <Form className="mt-2 flex flex-col gap-2" onSend={() => text.trim() && !note.isPending && send()}>
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
