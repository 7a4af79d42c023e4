import { type ReactNode, useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { AskButton, OpenButton } from '../ui/dialog.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Card, Section } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'
import { goHome } from './go-home.ts'

/** What cannot be undone. */
export function LeavingOrDeleting({ name, slug }: { name: string; slug: string }) {
  const isOwner = useMay('owner')
  const members = useRead('members.list', {})
  const owners = members.data?.data.filter(({ role }) => role === 'owner').length
  const leave = useAction('workspaces.leave', { next: goHome })
  return (
    <Section title="Danger zone">
      <Card className="divide-y">
        <Row
          title="Leave workspace"
          hint="You lose access, and your tokens for this workspace stop working."
          action={
            <AskButton
              label="Leave"
              forbidden={
                isOwner && owners === 1 && 'The last owner can’t leave. Make someone else an owner first.'
              }
              does={leave}
              to={{}}
              title={`Leave ${name}?`}
              action="Leave"
            >
              You lose access immediately, and your tokens for this workspace stop working. You’ll need an
              invitation to come back.
            </AskButton>
          }
        />
        <Row
          title="Delete workspace"
          hint="Members, tokens, runners and alert sources all lose access."
          action={
            <OpenButton
              label="Delete"
              look="danger"
              forbidden={!isOwner && 'Only owners can delete the workspace'}
            >
              {(close) => <Delete name={name} slug={slug} onClose={close} />}
            </OpenButton>
          }
        />
      </Card>
    </Section>
  )
}

const Row = ({ title, hint, action }: { title: string; hint: string; action: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-between gap-3 p-4">
    <div className="min-w-0">
      <h3 className="text-sm font-medium">{title}</h3>
      <p className="text-xs text-muted">{hint}</p>
    </div>
    {action}
  </div>
)

function Delete({ name, slug, onClose }: { name: string; slug: string; onClose: () => void }) {
  const remove = useAction('workspaces.delete', { next: goHome })
  const [typed, setTyped] = useState('')
  return (
    <FormDialog
      onClose={onClose}
      title={`Delete ${name}?`}
      of={remove}
      action="Delete workspace"
      look="danger"
      forbidden={typed !== slug && 'Type the slug to confirm'}
      onSend={() => remove.send({ slug })}
    >
      <p className="text-sm text-muted">
        No one can open it anymore, and its tokens and alert sources stop working immediately. Its slug can’t
        be used again. You can’t restore it from the app.
      </p>
      <TextField
        label={`Type ${slug} to confirm`}
        data-passing
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </FormDialog>
  )
}
