import type { Role } from '@signalbox/contract/roles.ts'
import { type FormEvent, useState } from 'react'
import { useRole } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { FormEnd } from '../settings/form-end.tsx'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { Field, Select } from '../ui/field.tsx'
import { roleNames, roleWhat } from './words.ts'

/** Invites an address. The link is shown this once. */
export function InviteMember({ onClose }: { onClose: () => void }) {
  const invite = useWrite('members.invite')
  const mine = useRole()
  const [role, setRole] = useState<Role>('member')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    invite.mutate({ email: String(new FormData(event.currentTarget).get('email')).trim(), role })
  }
  if (invite.data) {
    const { link, mailed } = invite.data
    return (
      <Dialog open onClose={onClose} title="Invited">
        <p role="status" className="mb-3 text-sm [overflow-wrap:anywhere]">
          {mailed
            ? `A mail to ${invite.variables.email} is on its way. You can also hand over this link yourself.`
            : `No mail was sent. Hand this link to ${invite.variables.email}.`}{' '}
          It works once, for seven days, and is shown this once.
        </p>
        <Copyable text={link} label="Copy the link" />
        <div className="mt-4 flex justify-end">
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog open onClose={onClose} title="Invite somebody">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <EmailField autoComplete="off" hint="An earlier invitation to the same address stops working." />
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
        <FormEnd wrong={invite.error?.message} action="Invite" busy={invite.isPending} onClose={onClose} />
      </form>
    </Dialog>
  )
}
