import { Link } from '@tanstack/react-router'
import { useMe } from '../api/me.ts'
import { usePersonalWrite } from '../api/queries.ts'
import { Entry, entryLink } from '../sign-in/entry.tsx'
import { signOut } from '../sign-in/sign-out.ts'
import { Button } from '../ui/button.tsx'
import { Form, type Given } from '../ui/form.tsx'
import { useGo } from '../ui/link.ts'
import { Wrong } from '../ui/refused.tsx'
import { NameFields } from './name-fields.tsx'

export function NewWorkspace() {
  const [navigate, me] = [useGo(), useMe()]
  const create = usePersonalWrite('workspaces.create')
  const submit = (given: Given) => {
    create.mutate(
      { name: given('workspace').trim(), slug: given('slug').trim() },
      { onSuccess: ({ slug }) => void navigate({ to: '/$ws/start', params: { ws: slug } }) },
    )
  }
  return (
    <Entry
      title="Create workspace"
      lead="A workspace has its own teams, members, tokens and audit log. You’ll be its owner."
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
      <Form onSend={submit}>
        <NameFields />
        <Wrong>{create.error?.message}</Wrong>
        <Button type="submit" look="primary" size="large" busy={create.isPending}>
          Create workspace
        </Button>
      </Form>
    </Entry>
  )
}
