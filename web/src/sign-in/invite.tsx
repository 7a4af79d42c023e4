import type { Me } from '@signalbox/contract/app/me.ts'
import type { InvitationAccepted, InvitationShown } from '@signalbox/contract/app/sign-in.ts'
import { maxNameLength } from '@signalbox/contract/limits.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Failure, get, post } from '../api/client.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Loaded, Skeleton, Unreadable } from '../ui/page.tsx'
import { Wrong } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { complain } from '../ui/toast.tsx'
import { Entry, entryLink, focusFirst } from './entry.tsx'
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
        title="This invitation isn’t valid"
        lead="It was used, revoked or has expired. Ask the person who invited you for a new one."
      >
        <Link to="/login" className={`${buttonClass('primary', 'large')} w-full`}>
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
          You’re invited as {roleWords[role]}
          {exists && (
            <>
              , using the address <span className="font-medium wrap-anywhere text-text">{email}</span>
            </>
          )}
          .
        </>
      }
    >
      <Visitor email={email}>
        {(me) =>
          !exists ? (
            <AsNew code={code} email={email} />
          ) : me ? (
            <AsKnown code={code} me={me} />
          ) : (
            <Link
              to="/login"
              search={{ next: `/invite/${code}` }}
              className={`${buttonClass('primary', 'large')} w-full`}
            >
              Sign in to join
            </Link>
          )
        }
      </Visitor>
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
  return (
    <Form onSend={(given) => accept.mutate({ name: given('name').trim(), password: given('password') })}>
      {/* Shown, because password managers keep the password under it. */}
      <TextField label="Email" name="email" type="email" autoComplete="username" readOnly value={email} />
      <TextField
        ref={focusFirst}
        label="Your name"
        name="name"
        required
        maxLength={maxNameLength}
        pattern=".*\S.*"
        autoComplete="name"
      />
      <PasswordField label="Password" name="password" isNew />
      <Wrong>{accept.error?.message}</Wrong>
      <Button type="submit" look="primary" size="large" busy={accept.isPending}>
        Join
      </Button>
    </Form>
  )
}

/** Known already: joins as that person, signed in. */
function AsKnown({ code, me }: { code: string; me: Me }) {
  const accept = useAccept(code)
  return (
    <div className="flex flex-col gap-3">
      <Wrong>{accept.error?.message}</Wrong>
      <Button look="primary" size="large" busy={accept.isPending} onClick={() => accept.mutate({})}>
        <span className="truncate">Join as {me.name}</span>
      </Button>
    </div>
  )
}

/** An invitation is for one address. A person who is signed in under another does not join by mistake. */
function Visitor({ email, children }: { email: string; children: (me: Me | null) => ReactNode }) {
  const me = useQuery<Me | null, Failure>({
    queryKey: ['', 'me', 'maybe'],
    queryFn: ({ signal }) =>
      get<Me>('/api/me', {}, signal).catch((error: Failure) => {
        if (error.status === 401) return null
        throw error
      }),
  })
  if (!me.data || me.data.email === email)
    return (
      <Loaded of={me} lines={2}>
        {children}
      </Loaded>
    )
  const change = () => post('/api/auth/sign-out').then(() => location.reload(), complain)
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p>
        You’re signed in as <span className="font-medium wrap-anywhere">{me.data.email}</span>, but this
        invitation is for <span className="font-medium wrap-anywhere">{email}</span>.
      </p>
      <Button look="primary" size="large" onClick={() => void change()}>
        Sign out and continue
      </Button>
      <Link to="/" className={`${entryLink} self-center`}>
        Stay signed in
      </Link>
    </div>
  )
}
