import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { useAction } from '../ui/action.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { LongTextField } from '../ui/text-field.tsx'

interface Props {
  draft: { key: string; title: string }
  onClose: () => void
}

export function RejectDialog({ draft: { key, title }, onClose }: Props) {
  const [note, setNote] = useState('')
  const reject = useAction('requirements.rejectDraft', {
    alsoStale: ['stories', 'teams'],
    said: `${key} rejected`,
    next: onClose,
  })
  return (
    <FormDialog
      onClose={onClose}
      title={`Reject ${key}`}
      description={`“${title}” will be removed. This can’t be undone.`}
      of={reject}
      action="Reject draft"
      look="danger"
      onSend={() => reject.send({ key, ...(note.trim() ? { note } : {}) })}
    >
      <LongTextField
        label="Note"
        hint="Optional. Shown in the audit log."
        rows={4}
        maxLength={maxNoteLength}
        value={note}
        onChange={setNote}
      />
    </FormDialog>
  )
}
