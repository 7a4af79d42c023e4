import { type ReactNode, useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Confirm, Dialog, DialogEnd } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { Card, Section } from '../ui/page.tsx'
import { Wrong } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { complain } from '../ui/toast.tsx'
import { goHome } from './go-home.ts'

/** What cannot be taken back. */
export function LeavingOrDeleting({ name, slug }: { name: string; slug: string }) {
  const [open, setOpen] = useState<'leave' | 'delete' | null>(null)
  const isOwner = useMay('owner')
  const members = useRead('members.list', {})
  const owners = members.data?.data.filter(({ role }) => role === 'owner').length
  const close = () => setOpen(null)
  return (
    <Section title="Danger zone">
      <Card className="divide-y">
        <Row
          title="Leave workspace"
          hint="You lose access, and your tokens for this workspace stop working."
          action={
            <Button
              forbidden={
                isOwner && owners === 1 && 'The last owner can’t leave. Make someone else an owner first.'
              }
              onClick={() => setOpen('leave')}
            >
              Leave
            </Button>
          }
        />
        <Row
          title="Delete workspace"
          hint="Members, tokens, runners and alert sources all lose access."
          action={
            <Button
              look="danger"
              forbidden={!isOwner && 'Only owners can delete the workspace'}
              onClick={() => setOpen('delete')}
            >
              Delete
            </Button>
          }
        />
      </Card>
      {open === 'leave' && <Leave name={name} onClose={close} />}
      {open === 'delete' && <Delete name={name} slug={slug} onClose={close} />}
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

function Leave({ name, onClose }: { name: string; onClose: () => void }) {
  const leave = useWrite('workspaces.leave')
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Leave ${name}?`}
      action="Leave"
      busy={leave.isPending}
      onConfirm={() => leave.mutate({}, { onSuccess: goHome, onError: complain })}
    >
      You lose access immediately, and your tokens for this workspace stop working. You’ll need an invitation
      to come back.
    </Confirm>
  )
}

function Delete({ name, slug, onClose }: { name: string; slug: string; onClose: () => void }) {
  const remove = useWrite('workspaces.delete')
  const [typed, setTyped] = useState('')
  const submit = () => {
    if (typed === slug) remove.mutate({ slug }, { onSuccess: goHome })
  }
  return (
    <Dialog open onClose={onClose} title={`Delete ${name}?`}>
      <Form onSend={submit}>
        <p className="text-sm text-muted">
          No one can open it any more, and its tokens and alert sources stop working immediately. Its slug
          can’t be used again. You can’t restore it from the app.
        </p>
        <TextField
          label={`Type ${slug} to confirm`}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Wrong>{remove.error?.message}</Wrong>
        <DialogEnd
          action="Delete workspace"
          look="danger"
          busy={remove.isPending}
          forbidden={typed !== slug && 'Type the slug to confirm'}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  )
}
