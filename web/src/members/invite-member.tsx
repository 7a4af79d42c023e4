import type { Role } from '@signalbox/contract/roles.ts'
import { useState } from 'react'
import { useRole } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { Field, Select } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { roleNames, roleWhat } from './words.ts'

/** Invites an address. The link is shown this once. */
export function InviteMember({ onClose }: { onClose: () => void }) {
  const invite = useWrite('members.invite')
  const mine = useRole()
  const [role, setRole] = useState<Role>('member')
  if (invite.data) {
    const { link, mailed } = invite.data
    return (
      <Dialog onClose={onClose} title="Invitation created">
        <p role="status" className="mb-3 text-sm [overflow-wrap:anywhere]">
          {mailed
            ? `We emailed ${invite.variables.email}. You can also share this link yourself.`
            : `No email was sent. Share this link with ${invite.variables.email}.`}{' '}
          It works once, for seven days. You won’t see it again.
        </p>
        <Copyable text={link} label="Copy link" />
        <div className="mt-4 flex justify-end">
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Invite a member"
      of={invite}
      action="Invite"
      onSend={(given) => invite.mutate({ email: given('email').trim(), role })}
    >
      <EmailField autoComplete="off" hint="Any earlier invitation to this address stops working." />
      <Field label="Role" hint={roleWhat[role]}>
        {(ids) => (
          <Select {...ids} value={role} onChange={({ target }) => setRole(target.value as Role)}>
            <option value="member">{roleNames.member}</option>
            <option value="admin">{roleNames.admin}</option>
            <option value="owner" disabled={mine !== 'owner'}>
              {roleNames.owner}
              {mine !== 'owner' && ' (owners only)'}
            </option>
          </Select>
        )}
      </Field>
    </FormDialog>
  )
}
