import type { Me } from '@signalbox/contract/app/me.ts'
import type { InvitationAccepted, InvitationShown } from '@signalbox/contract/app/sign-in.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { type Failure, get, post } from '../api/client.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Skeleton, Unreadable } from '../ui/page.tsx'
import { complain } from '../ui/toast.tsx'
import { Entry, entryLink, Wrong } from './entry.tsx'
import { PasswordField } from './password-field.tsx'

const roleWords = { owner: 'an owner', admin: 'an admin', member: 'a member' }

/** What a link of an invitation opens. */
export function Invite() {
  const { code } = useParams({ from: '/invite/$code' })
  const invitation = useQuery<InvitationShown, Failure>({
    queryKey: ['', 'invitation', code],
    queryFn: ({ signal }) => get(`/api/invitations/${encodeURIComponent(code)}`, {}, signal),
  })
  if (invitation.error?.status === 404) {
    return (
      <Entry
        title="This invitation is over"
        lead="It was used or taken back, or it is older than a week. Ask whoever invited you for a new one."
      >
        <Link to="/login" className={`${buttonClass('plain', 'large')} w-full`}>
          Sign in
        </Link>
      </Entry>
    )
  }
  if (!invitation.data) {
    return (
      <Entry title="Invitation">
        {invitation.error ? (
          <Unreadable error={invitation.error} retry={() => void invitation.refetch()} />
        ) : (
          <Skeleton lines={3} />
        )}
      </Entry>
    )
  }
  const { workspace, role, email, exists } = invitation.data
  return (
    <Entry
      title={`Join ${workspace.name}`}
      lead={
        <>
          You are invited as {roleWords[role]}
          {exists && (
            <>
              , under the address <span className="font-medium break-all text-text">{email}</span>
            </>
          )}
          .
        </>
      }
    >
      {exists ? <AsKnown code={code} email={email} /> : <AsNew code={code} email={email} />}
    </Entry>
  )
}

const useAccept = (code: string) =>
  useMutation<InvitationAccepted, Failure, { name?: string; password?: string }>({
    mutationFn: (given) => post(`/api/invitations/${encodeURIComponent(code)}/accept`, given),
    onSuccess: ({ workspace }) => location.assign(`/${workspace}`),
  })

function AsNew({ code, email }: { code: string; email: string }) {
  const accept = useAccept(code)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    accept.mutate({ name: String(form.get('name')).trim(), password: String(form.get('password')) })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {/* Shown, because password managers keep the password under it. */}
      <Field label="E-mail">
        {(ids) => <Input {...ids} name="email" type="email" autoComplete="username" readOnly value={email} />}
      </Field>
      <Field label="Your name">
        {(ids) => <Input {...ids} name="name" required maxLength={100} autoComplete="name" />}
      </Field>
      <PasswordField label="Password" name="password" isNew />
      <Wrong>{accept.error?.message}</Wrong>
      <Button type="submit" look="primary" size="large" busy={accept.isPending}>
        Join
      </Button>
    </form>
  )
}

/** Known already: joins as that person, signed in. */
function AsKnown({ code, email }: { code: string; email: string }) {
  const accept = useAccept(code)
  const me = useQuery<Me | null>({
    queryKey: ['', 'me', 'maybe'],
    queryFn: ({ signal }) =>
      get<Me>('/api/me', {}, signal).catch((error: Failure) => {
        if (error.status === 401) return null
        throw error
      }),
  })
  if (me.isPending) return <Skeleton lines={1} />
  const signIn = (
    <Link
      to="/login"
      search={{ next: `/invite/${code}` }}
      className={`${buttonClass('primary', 'large')} w-full`}
    >
      Sign in to join
    </Link>
  )
  if (!me.data) return signIn
  if (me.data.email !== email) {
    const change = () => post('/api/auth/sign-out').then(() => location.reload(), complain)
    return (
      <p className="text-[13px]">
        You are signed in as <span className="font-medium break-all">{me.data.email}</span>.{' '}
        <button type="button" className={entryLink} onClick={() => void change()}>
          Sign out
        </button>{' '}
        and sign in under the invited address to join.
      </p>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      <Wrong>{accept.error?.message}</Wrong>
      <Button look="primary" size="large" busy={accept.isPending} onClick={() => accept.mutate({})}>
        Join as {me.data.name}
      </Button>
    </div>
  )
}
