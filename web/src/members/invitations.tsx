import { useRead } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { Badge } from '../ui/badge.tsx'
import { AskButton } from '../ui/dialog.tsx'
import { Listed } from '../ui/listed.tsx'
import { Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { roleNames } from './words.ts'

/** Pending invitations. */
export function Invitations() {
  const invitations = useRead('members.invitations', {})
  const revoke = useAction('members.revokeInvitation', { said: 'Invitation revoked' })
  return (
    <Section title="Pending invitations">
      <Listed
        of={invitations}
        lines={1}
        empty={
          <p className="text-sm text-muted">No pending invitations. Invitation links work for seven days.</p>
        }
        caption="Pending invitations"
        keyOf={({ id }) => id}
        columns={[
          { title: 'Email', cell: ({ email }) => <span className="break-all">{email}</span> },
          { title: 'Role', cell: ({ role }) => <Badge word={roleNames[role]} /> },
          { title: 'Invited by', cell: ({ invitedBy }) => invitedBy ?? 'The server operator' },
          { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            title: 'Revoke',
            right: true,
            cell: ({ id, email }) => (
              <AskButton
                label="Revoke"
                size="small"
                aria-label={`Revoke invitation for ${email}`}
                does={revoke}
                to={{ id }}
                title="Revoke invitation?"
                action="Revoke"
              >
                The invitation link for {email} will stop working.
              </AskButton>
            ),
          },
        ]}
      />
    </Section>
  )
}
