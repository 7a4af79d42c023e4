import type { Member } from '@signalbox/contract/app/members.ts'
import { useState } from 'react'
import { useAction } from '../ui/action.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { TextField } from '../ui/text-field.tsx'

/** Says what goes and what stays when a person asks to be erased. */
export function EraseMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const erase = useAction('members.erase', {
    alsoStale: ['services', 'incidents', 'audit'],
    said: 'The person was erased',
    next: onClose,
  })
  return (
    <FormDialog
      onClose={onClose}
      title={`Erase ${member.name}?`}
      description="This can’t be undone."
      of={erase}
      action="Erase"
      look="danger"
      forbidden={typed.trim().toLowerCase() !== member.email && 'Type the email address to confirm'}
      onSend={() => erase.send({ id: member.id, email: typed })}
    >
      <div className="mb-3 flex flex-col gap-2 text-sm [overflow-wrap:anywhere]">
        <p>
          Their account, name and email address are deleted, and they lose access immediately. Audit entries
          stay verifiable and show “[erased]” in place of their personal data.
        </p>
        <p>
          Not erased: what they wrote, audit entries from before erasing was possible, exports, backups, Git
          commits and comments in your other tools.
        </p>
      </div>
      <TextField
        label={`Type ${member.email} to confirm`}
        data-passing
        autoComplete="off"
        value={typed}
        onChange={setTyped}
        className="font-mono"
      />
    </FormDialog>
  )
}
