import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { useWrite } from '../api/queries.ts'
import { Dialog, DialogEnd } from '../ui/dialog.tsx'
import { LongTextField } from '../ui/text-field.tsx'
import { complain, say } from '../ui/toast.tsx'

export function RejectDialog({
  draft: { key, title },
  open,
  onClose,
}: {
  draft: { key: string; title: string }
  open: boolean
  onClose: () => void
}) {
  const [note, setNote] = useState('')
  const reject = useWrite('requirements.rejectDraft', { alsoStale: ['stories', 'teams'] })
  const press = () =>
    reject.mutate(
      { key, ...(note.trim() ? { note } : {}) },
      {
        onSuccess: () => {
          onClose()
          say(`${key} rejected`)
        },
        onError: complain,
      },
    )
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Reject ${key}`}
      description={`“${title}” will be removed. This can’t be undone.`}
    >
      <LongTextField
        label="Note"
        hint="Optional. It is kept in the audit log."
        rows={4}
        maxLength={maxNoteLength}
        value={note}
        onChange={setNote}
      />
      <DialogEnd
        className="mt-4"
        action="Reject draft"
        look="danger"
        busy={reject.isPending}
        onClose={onClose}
        onClick={press}
      />
    </Dialog>
  )
}
