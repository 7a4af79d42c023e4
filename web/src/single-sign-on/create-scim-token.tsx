import type { NewScimToken } from '@signalbox/contract/app/single-sign-on.ts'
import { maxShortNameLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Wrong } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'

/** Makes a token for the identity provider and shows its value, this once. */
export function CreateScimToken({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewScimToken | null>(null)
  const [hurried, setHurried] = useState(false)
  const create = useAction('singleSignOn.createToken', { next: setMade })
  if (!made)
    return (
      <FormDialog
        onClose={onClose}
        title="Create SCIM token"
        of={create}
        action="Create token"
        onSend={(given) => create.send({ name: given('name').trim() })}
      >
        <TextField
          label="Name"
          hint="Which identity provider uses it, such as Okta."
          name="name"
          required
          maxLength={maxShortNameLength}
          autoComplete="off"
          pattern=".*\S.*"
        />
      </FormDialog>
    )
  return (
    // A stray Escape must not take away what is shown once.
    <Dialog onClose={() => setHurried(true)} title="Save your token" wide>
      <div className="flex flex-col gap-4">
        <p className="text-sm [overflow-wrap:anywhere]">
          Enter it in your identity provider as the bearer token for SCIM. Copy it now. You won’t see it
          again.
        </p>
        <Copyable text={made.token} label="Copy token" />
        <Wrong>{hurried && 'Save it first. Once you close this, no one can see it again.'}</Wrong>
        <div className="flex justify-end">
          <Button look="primary" onClick={onClose}>
            I’ve saved it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
