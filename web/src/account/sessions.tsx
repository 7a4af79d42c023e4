import type { Session } from '@signalbox/contract/app/account.ts'
import { Monitor, Smartphone } from 'lucide-react'
import { usePersonal } from '../api/queries.ts'
import { usePersonalAction } from '../ui/action.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Loaded, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { browserOf, isPhone } from './browser.ts'

/** Where one is signed in. */
export function Sessions() {
  const sessions = usePersonal('account.sessions', {})
  const endOthers = usePersonalAction('account.revokeOtherSessions', { said: 'All other sessions ended' })
  const others = sessions.data?.filter(({ current }) => !current).length ?? 0
  return (
    <Section
      title="Sessions"
      hint="Sessions end after a period of inactivity, or when they reach a maximum age. The server operator sets both."
      aside={others > 0 && <Button {...endOthers.button({})}>End all other sessions</Button>}
    >
      <Loaded of={sessions} lines={2}>
        {(all) => (
          <Card className="divide-y">
            {all.map((session) => (
              <Row key={session.id} session={session} />
            ))}
          </Card>
        )}
      </Loaded>
    </Section>
  )
}

function Row({ session }: { session: Session }) {
  const end = usePersonalAction('account.revokeSession', { said: 'Session ended' })
  const Icon = isPhone(session.userAgent) ? Smartphone : Monitor
  const browser = browserOf(session.userAgent)
  return (
    <div className="flex items-center gap-3 px-4 py-2.5 text-sm">
      <Icon size={16} aria-hidden="true" className="shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-2 font-medium">
          {browser}
          {session.current && <Badge tone="ok" word="This session" />}
        </div>
        <div className="text-xs break-words text-muted">
          {session.ipAddress ?? 'unknown address'}, last used <Time at={session.lastUsedAt} />, signed in{' '}
          <Time at={session.createdAt} />
        </div>
      </div>
      {!session.current && (
        <Button size="small" aria-label={`End session: ${browser}`} {...end.button({ id: session.id })}>
          End
        </Button>
      )}
    </div>
  )
}
