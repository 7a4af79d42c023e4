import { Link, useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useMe } from '../api/me.ts'
import { usePersonalWrite } from '../api/queries.ts'
import { Entry, entryLink } from '../sign-in/entry.tsx'
import { signOut } from '../sign-in/sign-out.ts'
import { Button } from '../ui/button.tsx'
import { Wrong } from '../ui/refused.tsx'
import { NameFields } from './name-fields.tsx'

export function NewWorkspace() {
  const [navigate, me] = [useNavigate(), useMe()]
  const create = usePersonalWrite('workspaces.create')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    create.mutate(
      { name: String(form.get('workspace')).trim(), slug: String(form.get('slug')).trim() },
      { onSuccess: ({ slug }) => void navigate({ to: '/$ws/teams', params: { ws: slug } }) },
    )
  }
  return (
    <Entry
      title="Create a workspace"
      lead="It holds its own teams, members, tokens and audit log. You become its owner."
      below={
        me?.workspaces.length === 0 ? (
          <button type="button" className={entryLink} onClick={() => void signOut()}>
            Sign out
          </button>
        ) : (
          <Link to="/" className={entryLink}>
            Back
          </Link>
        )
      }
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <NameFields />
        <Wrong>{create.error?.message}</Wrong>
        <Button type="submit" look="primary" size="large" busy={create.isPending}>
          Create
        </Button>
      </form>
    </Entry>
  )
}
