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
    <Section title="Pending invitations">
      <Loaded of={invitations} lines={1}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-sm text-muted">
              No pending invitations. Invitation links work for seven days.
            </p>
          ) : (
            <Table
              caption="Pending invitations"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Email', cell: ({ email }) => <span className="break-all">{email}</span> },
                { title: 'Role', cell: ({ role }) => <Badge word={roleNames[role]} /> },
                { title: 'Invited by', cell: ({ invitedBy }) => invitedBy ?? 'The server operator' },
                { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                {
                  title: 'Revoke',
                  right: true,
                  cell: (invitation) => (
                    <Button
                      size="small"
                      aria-label={`Revoke invitation for ${invitation.email}`}
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
        title="Revoke invitation?"
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
        The invitation link for {asked?.email} will stop working.
      </Confirm>
    </Section>
  )
}
