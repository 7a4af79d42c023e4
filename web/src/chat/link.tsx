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
          {({ name }) => (
            <div className="max-w-xl text-sm">
              <p className="mb-4">
                The Slack account <strong className="font-medium wrap-anywhere">{name}</strong> will act as
                you: what it answers or stops in Slack is recorded under your name. Continue only if this is
                your account.
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
