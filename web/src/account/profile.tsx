import { maxNameLength } from '@signalbox/contract/limits.ts'
import type { FormEvent } from 'react'
import { usePersonal, usePersonalWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'
import { complain, say } from '../ui/toast.tsx'

export function Profile() {
  const account = usePersonal('account.read', {})
  const rename = usePersonalWrite('account.rename')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    rename.mutate({ name }, { onSuccess: () => say('Saved'), onError: complain })
  }
  return (
    <Section title="Profile">
      <Loaded of={account} lines={2}>
        {({ name, email, oidc }) => (
          <form key={name} onSubmit={submit} className="flex max-w-md flex-col gap-4">
            <TextField
              label="Name"
              hint="Others see it. What is in the audit log keeps the name you had at the time."
              name="name"
              defaultValue={name}
              required
              maxLength={maxNameLength}
              pattern=".*\S.*"
              autoComplete="name"
            />
            <TextField
              label="E-mail"
              hint={
                oidc?.linked ? `You sign in with ${oidc.name} under this address.` : 'You sign in with it.'
              }
              value={email}
              readOnly
              autoComplete="email"
            />
            <div>
              <Button type="submit" look="primary" busy={rename.isPending}>
                Save
              </Button>
            </div>
          </form>
        )}
      </Loaded>
    </Section>
  )
}
