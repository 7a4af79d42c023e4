import type { Integrations as Shown } from '@signalbox/contract/app/workspaces.ts'
import { Link } from '@tanstack/react-router'
import { Check, CircleDashed } from 'lucide-react'
import type { ReactNode } from 'react'
import { useRead, useWorkspace } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { Card, Loaded, Page, Section } from '../ui/page.tsx'

/** What this installation reaches out to: as it is configured, and read-only. */
export function Integrations() {
  const read = useRead('workspaces.integrations', {})
  return (
    <Page title="Integrations">
      <Loaded of={read} lines={6}>
        {(integrations) => <Lists integrations={integrations} />}
      </Loaded>
      <Section title="Runners">
        <p className="max-w-2xl text-sm text-muted">
          A runner works on your own machines and signs in with an API token. This version lists none.
        </p>
      </Section>
      <Section title="Outgoing webhooks">
        <p className="max-w-2xl text-sm text-muted">
          Not part of this version. Read decisions and runs over the REST API instead.
        </p>
      </Section>
    </Page>
  )
}

function Lists({ integrations }: { integrations: Shown }) {
  return (
    <>
      <Section
        title="This server"
        hint="Whoever runs the server sets these; they hold for all its workspaces."
      >
        <Card className="divide-y">
          <Row name="Mail" connected={integrations.mail !== null}>
            {integrations.mail
              ? `Sent as ${integrations.mail.from} through ${integrations.mail.host}.`
              : 'Nobody gets mail about incidents, invitations or forgotten passwords. Set SMTP_URL and MAIL_FROM.'}
          </Row>
          <Row name="Story splitter" connected={integrations.splitter !== null} otherwise="rules">
            {integrations.splitter
              ? `Requirements are split by ${integrations.splitter.model} at ${integrations.splitter.host}.`
              : 'Requirements are split by rules, and nothing leaves the machine. Set SPLITTER_URL for a language model.'}
          </Row>
          <Row name="Git host" connected={integrations.gitHost}>
            {integrations.gitHost
              ? 'Changes are merged and reverted there. Repositories of services are read for investigations.'
              : 'Repositories of services are cloned and read for investigations. Nothing is merged or reverted.'}
          </Row>
          <Row name="Tracker" connected={integrations.tracker}>
            {integrations.tracker
              ? 'Approved drafts become issues there.'
              : 'Approved drafts wait to be written as issues.'}
          </Row>
          <Row name="Chat" connected={integrations.chat}>
            {integrations.chat
              ? 'Incidents are posted in the places of their team.'
              : 'Incidents are not posted anywhere.'}
          </Row>
          <Row name="Coding agents" connected={integrations.work}>
            {integrations.work ? 'Runs are handed out.' : 'Nobody takes work yet: runs wait, and say so.'}
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
  const ws = useWorkspace()
  if (pagers.length === 0) {
    return (
      <p className="text-sm text-muted">
        No source of a paging tool.{' '}
        <Link to="/$ws/services" params={{ ws }} className="text-accent underline">
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
                params={{ ws, service, source }}
                className="underline-offset-2 hover:underline"
              >
                {name}
              </Link>
            ) : (
              name
            )
          }
          connected={credentials}
          otherwise="no credentials"
        >
          {pagerNames[kind] ?? kind}.{' '}
          {credentials
            ? 'Its API credentials are kept, encrypted.'
            : 'Alerts arrive, and are never changed there.'}
        </Row>
      ))}
    </Card>
  )
}

function Row({
  name,
  connected,
  otherwise = 'not connected',
  children,
}: {
  name: ReactNode
  connected: boolean
  otherwise?: string
  children: ReactNode
}) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 py-3">
      <div className="min-w-0 flex-1 basis-40">
        <h3 className="text-sm font-medium break-words">{name}</h3>
        <p className="text-xs break-words text-muted">{children}</p>
      </div>
      {connected ? (
        <Badge tone="ok" icon={Check} word="connected" />
      ) : (
        <Badge icon={CircleDashed} word={otherwise} />
      )}
    </div>
  )
}
