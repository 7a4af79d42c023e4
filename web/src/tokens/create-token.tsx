import type { NewToken } from '@signalbox/contract/app/tokens.ts'
import { maxShortNameLength } from '@signalbox/contract/limits.ts'
import type { Permission, TokenLifetime } from '@signalbox/contract/token.ts'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Checkbox } from '../ui/field.tsx'
import type { Given } from '../ui/form.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Wrong } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { lifetimeWords, permissionWords } from './words.ts'

const permissionNames = Object.keys(permissionWords) as Permission[]

/** Makes a token and shows its value, this once: it is kept in this component and nowhere else. */
export function CreateToken({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewToken | null>(null)
  const [hurried, setHurried] = useState(false)
  return made ? (
    // A stray Escape must not take away what is shown once.
    <Dialog onClose={() => setHurried(true)} title="Save your token" wide>
      <Made token={made} hurried={hurried} onClose={onClose} />
    </Dialog>
  ) : (
    <TokenForm onMade={setMade} onClose={onClose} />
  )
}

function TokenForm({ onMade, onClose }: { onMade: (token: NewToken) => void; onClose: () => void }) {
  const create = useAction('tokens.create', { next: onMade })
  const [chosen, setChosen] = useState<Permission[]>(['read'])
  const [asked, setAsked] = useState(false)
  const [manages, setManages] = useState(false)
  const mayManage = useMay('admin')
  const isManageable = useRead('tokens.list', {}).data?.managementApi === true && mayManage
  const submit = (given: Given) => {
    setAsked(true)
    if (chosen.length === 0) return
    create.send({
      name: given('name').trim(),
      permissions: chosen,
      ...(manages ? { manages } : {}),
      expires: given('expires') as TokenLifetime,
    })
  }
  return (
    <FormDialog onClose={onClose} title="Create token" of={create} action="Create token" onSend={submit}>
      <TextField
        label="Name"
        hint="What you’ll use it for, such as Nightly report."
        name="name"
        required
        maxLength={maxShortNameLength}
        autoComplete="off"
        pattern=".*\S.*"
      />
      <fieldset className="flex flex-col gap-2.5">
        <legend className="mb-1 text-sm font-medium">Permissions</legend>
        {permissionNames.map((permission) => (
          <Checkbox
            key={permission}
            label={permissionWords[permission].name}
            hint={permissionWords[permission].what}
            checked={chosen.includes(permission)}
            onChange={({ target }) =>
              setChosen(
                target.checked ? [...chosen, permission] : chosen.filter((other) => other !== permission),
              )
            }
          />
        ))}
        <div role="status" className="text-xs text-danger empty:hidden">
          {asked && chosen.length === 0 && 'Choose at least one permission.'}
        </div>
      </fieldset>
      {isManageable && (
        <Checkbox
          label="Manage configuration"
          hint="Apply a configuration file or use Terraform, over the management API. Can change policies and roles, and delete what the file managed."
          checked={manages}
          onChange={({ target }) => setManages(target.checked)}
        />
      )}
      <ChoiceField
        label="Expires after"
        hint="Tokens can last up to one year."
        name="expires"
        defaultValue="90d"
        of={lifetimeWords}
      />
    </FormDialog>
  )
}

function Made({ token, hurried, onClose }: { token: NewToken; hurried: boolean; onClose: () => void }) {
  const reads = token.permissions.some((permission) => permission === 'read' || permission === 'admin')
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm [overflow-wrap:anywhere]">
        <span className="font-medium">{token.name}</span> works until {dateOf(token.expiresAt)}. Copy it now.
        You won’t see it again.
      </p>
      <Copyable text={token.token} label="Copy token" />
      {reads && (
        <div>
          <p className="mb-1 text-sm font-medium">Try it</p>
          <Copyable
            text={`curl -H 'Authorization: Bearer ${token.token}' ${location.origin}/v1/teams`}
            label="Copy command"
          />
        </div>
      )}
      <p className="text-xs text-muted">
        Runners read it from the environment variable SERVICE_API_KEY. The MCP server takes it as a bearer
        token. Both accept any active token, whatever its permissions.
      </p>
      <Wrong>{hurried && 'Save it first. Once you close this, no one can see it again.'}</Wrong>
      <div className="flex justify-end">
        <Button look="primary" onClick={onClose}>
          I’ve saved it
        </Button>
      </div>
    </div>
  )
}
