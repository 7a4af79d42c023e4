import { maxNameLength } from '@signalbox/contract/limits.ts'
import { usePersonal } from '../api/queries.ts'
import { usePersonalAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'

export function Profile() {
  const account = usePersonal('account.read', {})
  const rename = usePersonalAction('account.rename', { said: 'Changes saved' })
  return (
    <Section title="Profile">
      <Loaded of={account} lines={2}>
        {({ name, email, oidc }) => (
          <Form
            key={name}
            onSend={(given) => rename.press({ name: given('name').trim() })}
            className="flex max-w-md flex-col gap-4"
          >
            <TextField
              label="Name"
              hint="Visible to everyone in your workspaces. Audit entries keep the name you had at the time."
              name="name"
              defaultValue={name}
              required
              maxLength={maxNameLength}
              pattern=".*\S.*"
              autoComplete="name"
            />
            <TextField
              label="Email"
              hint={
                oidc?.linked ? `You sign in with ${oidc.name} using this address.` : 'You use it to sign in.'
              }
              value={email}
              readOnly
              autoComplete="email"
            />
            <div>
              <Button type="submit" look="primary" busy={rename.isPending}>
                Save changes
              </Button>
            </div>
          </Form>
        )}
      </Loaded>
    </Section>
  )
}
