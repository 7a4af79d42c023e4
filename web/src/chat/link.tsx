import { useParams } from '@tanstack/react-router'
import { MessagesSquare } from 'lucide-react'
import { useRead, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Loaded, Page } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'

/** What the link that Slack shows to a stranger opens. */
export function LinkChat() {
  const { code } = useParams({ from: '/$ws/link-chat/$code' })
  const link = useRead('chat.link', { code })
  const confirm = useWrite('chat.confirmLink')
  return (
    <Page title="Link your Slack account">
      {confirm.isSuccess ? (
        <Empty icon={MessagesSquare} title="Your Slack account is linked">
          You can answer decisions and use /signalbox in Slack now. You can close this page.
        </Empty>
      ) : (
        <Loaded of={link}>
          {({ team, user, name, email }) => (
            <div className="max-w-xl text-sm">
              <p className="mb-4">
                This Slack account will act as you: what it answers or stops in Slack is recorded under your
                name.
              </p>
              <dl className="mb-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 wrap-anywhere">
                <dt>Slack workspace</dt>
                <dd className="font-medium">{team}</dd>
                <dt>Member ID</dt>
                <dd className="font-medium">{user}</dd>
                <dt>Email</dt>
                <dd className="font-medium">{email ?? 'Not shared by Slack'}</dd>
                <dt>Display name</dt>
                <dd>{name}</dd>
              </dl>
              <p className="mb-4">
                Anyone can choose any display name. Compare the member ID with the one in your Slack profile
                (under More), and continue only if you asked for this link yourself.
              </p>
              <Refused error={confirm.error} />
              <Button look="primary" busy={confirm.isPending} onClick={() => confirm.mutate({ code })}>
                Link account
              </Button>
            </div>
          )}
        </Loaded>
      )}
    </Page>
  )
}
