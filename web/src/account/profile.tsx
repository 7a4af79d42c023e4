import { maxNameLength } from '@signalbox/contract/limits.ts'
import { usePersonal, usePersonalWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Form, type Given } from '../ui/form.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'
import { complain, say } from '../ui/toast.tsx'

export function Profile() {
  const account = usePersonal('account.read', {})
  const rename = usePersonalWrite('account.rename')
  const submit = (given: Given) =>
    rename.mutate({ name: given('name').trim() }, { onSuccess: () => say('Saved'), onError: complain })
  return (
    <Section title="Profile">
      <Loaded of={account} lines={2}>
        {({ name, email, oidc }) => (
          <Form key={name} onSend={submit} className="flex max-w-md flex-col gap-4">
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
          </Form>
        )}
      </Loaded>
    </Section>
  )
}
