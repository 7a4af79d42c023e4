import type { Invitation } from '@signalbox/contract/invitation.ts'
import { useState } from 'react'
import { useRead, useWrite } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { complain, say } from '../ui/toast.tsx'
import { roleNames } from './words.ts'

/** Invitations that nobody has accepted yet. */
export function Invitations() {
  const invitations = useRead('members.invitations', {})
  const revoke = useWrite('members.revokeInvitation')
  const [asked, setAsked] = useState<Invitation | null>(null)
  const close = () => setAsked(null)
  return (
    <Section title="Open invitations">
      <Loaded of={invitations} lines={1}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-sm text-muted">None. Invite somebody by e-mail; the link works for a week.</p>
          ) : (
            <Table
              caption="Open invitations"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { title: 'E-mail', cell: ({ email }) => <span className="break-all">{email}</span> },
                { title: 'Role', cell: ({ role }) => <Badge word={roleNames[role]} /> },
                { title: 'Invited by', cell: ({ invitedBy }) => invitedBy ?? 'the operator' },
                { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                {
                  title: 'Revoke',
                  right: true,
                  cell: (invitation) => (
                    <Button
                      size="small"
                      aria-label={`Revoke the invitation of ${invitation.email}`}
                      onClick={() => setAsked(invitation)}
                    >
                      Revoke
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Confirm
        open={asked !== null}
        onClose={close}
        title="Revoke the invitation?"
        action="Revoke"
        busy={revoke.isPending}
        onConfirm={() =>
          asked &&
          revoke.mutate(
            { id: asked.id },
            { onSuccess: () => say('Invitation revoked'), onError: complain, onSettled: close },
          )
        }
      >
        The link for {asked?.email} stops working.
      </Confirm>
    </Section>
  )
}
