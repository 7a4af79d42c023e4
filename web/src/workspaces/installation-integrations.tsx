import type { Integrations as Shown } from '@signalbox/contract/app/workspaces.ts'
import { asksFor } from '@signalbox/contract/remedy.ts'
import { Check, CircleDashed } from 'lucide-react'
import type { ReactNode } from 'react'
import { useRead } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { Link } from '../ui/link.ts'
import { Card, Loaded, Section } from '../ui/page.tsx'
import { RefusalText } from '../ui/refusal-text.tsx'

/** What this installation reaches out to for everyone: as it is configured, and read-only. */
export function InstallationIntegrations() {
  const read = useRead('workspaces.integrations', {})
  return (
    <Loaded of={read} lines={6}>
      {(integrations) => <Lists integrations={integrations} />}
    </Loaded>
  )
}

function Lists({ integrations }: { integrations: Shown }) {
  return (
    <>
      <Section title="This server" hint="Set by the person who runs this server, for all its workspaces.">
        <Card className="divide-y">
          <Row name="Email" connected={integrations.mail !== null}>
            {integrations.mail ? (
              `Sent as ${integrations.mail.from} through ${integrations.mail.host}.`
            ) : (
              <RefusalText
                text={`No emails are sent for incidents, invitations or password resets. ${asksFor('SMTP_URL')}`}
              />
            )}
          </Row>
          <Row name="Story splitter" connected={integrations.splitter !== null} otherwise="Rules only">
            {integrations.splitter ? (
              `Requirements are split by ${integrations.splitter.model} at ${integrations.splitter.host}.`
            ) : (
              <RefusalText
                text={`Requirements are split by rules, without a language model. ${asksFor('SPLITTER_URL')}`}
              />
            )}
          </Row>
          <Row name="Coding agents" connected={integrations.work}>
            {integrations.work
              ? 'Runs are picked up automatically.'
              : 'Stories stay in Ready and say why. Connect a runner under Settings, Runners.'}
          </Row>
        </Card>
      </Section>
      <Section
        title="Paging tools"
        hint="With API credentials, alerts can be acknowledged and resolved in the tool they come from."
      >
        <Pagers pagers={integrations.pagers} />
      </Section>
    </>
  )
}

const pagerNames: Record<string, string> = { pagerduty: 'PagerDuty', opsgenie: 'Opsgenie' }

function Pagers({ pagers }: { pagers: Shown['pagers'] }) {
  if (pagers.length === 0) {
    return (
      <p className="text-sm text-muted">
        No paging tool sources.{' '}
        <Link to="/$ws/services" className="text-accent underline">
          Add one to a service
        </Link>
        .
      </p>
    )
  }
  return (
    <Card className="divide-y">
      {pagers.map(({ source, service, name, kind, credentials }) => (
        <Row
          key={source}
          name={
            service ? (
              <Link
                to="/$ws/services/$service/sources/$source"
                params={{ service, source }}
                className="underline-offset-2 hover:underline"
              >
                {name}
              </Link>
            ) : (
              name
            )
          }
          connected={credentials}
          otherwise="No credentials"
        >
          {pagerNames[kind] ?? kind}.{' '}
          {credentials
            ? 'API credentials are stored encrypted.'
            : 'Alerts arrive but are never changed there.'}
        </Row>
      ))}
    </Card>
  )
}

interface RowProps {
  name: ReactNode
  connected: boolean
  otherwise?: string
  children: ReactNode
}

function Row({ name, connected, otherwise = 'Not connected', children }: RowProps) {
  return (
    <div className="px-4 py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <h3 className="min-w-0 text-sm font-medium break-words">{name}</h3>
        {connected ? (
          <Badge tone="ok" icon={Check} word="Connected" />
        ) : (
          <Badge icon={CircleDashed} word={otherwise} />
        )}
      </div>
      <p className="text-xs break-words text-muted">{children}</p>
    </div>
  )
}
