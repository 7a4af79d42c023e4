import type { Account } from '@signalbox/contract/app/account.ts'
import { useRef } from 'react'
import { PasswordField } from '../sign-in/password-field.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { Form, type Given } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { useSignInChange } from './change.ts'
import { Refused } from './sign-in-again.tsx'

export function PasswordSection({ account }: { account: Account }) {
  const form = useRef<HTMLFormElement>(null)
  const change = useSignInChange<{
    currentPassword: string
    newPassword: string
    revokeOtherSessions: boolean
  }>('change-password', { said: 'Password changed', next: () => form.current?.reset() })
  const submit = (given: Given) =>
    change.send({
      currentPassword: given('current'),
      newPassword: given('new'),
      revokeOtherSessions: given('others') === 'on',
    })
  if (!account.hasPassword) {
    return (
      <Section title="Password">
        <p className="text-sm text-muted">
          You have no password. You sign in with {account.oidc?.linked ? account.oidc.name : 'a passkey'}.
        </p>
      </Section>
    )
  }
  return (
    <Section title="Password">
      <Form ref={form} onSend={submit} className="flex max-w-md flex-col gap-4">
        <input
          type="text"
          name="email"
          autoComplete="username"
          value={account.email}
          readOnly
          hidden
          aria-label="Email"
        />
        <PasswordField label="Current password" name="current" />
        <PasswordField label="New password" name="new" isNew />
        <Checkbox name="others" defaultChecked label="End all other sessions" />
        <Refused error={change.error} />
        <div>
          <Button type="submit" busy={change.isPending}>
            Change password
          </Button>
        </div>
      </Form>
    </Section>
  )
}
