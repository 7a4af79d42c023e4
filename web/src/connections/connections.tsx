import type { ConnectionRow } from '@signalbox/contract/app/connections.ts'
import { Blocks } from 'lucide-react'
import { useMay } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { Link } from '../ui/link.ts'
import { List } from '../ui/listed.tsx'
import { Card, Empty, Page, Section } from '../ui/page.tsx'
import { RefusalText } from '../ui/refusal-text.tsx'
import { Time } from '../ui/time.tsx'
import { InstallationIntegrations } from '../workspaces/installation-integrations.tsx'
import { ConnectionState, isRefused } from './state.tsx'
import { toolOf } from './tools.ts'

/** The accounts of the workspace at outside tools, and what the server itself reaches out to. */
export function Connections() {
  const may = useMay('admin')
  const read = useRead('connections.list', {})
  const add = may && (
    <Link to="/$ws/settings/connections/new" className={buttonClass('primary')}>
      Add connection
    </Link>
  )
  return (
    <Page title="Connections" aside={read.data && read.data.data.length > 0 && add}>
      <Section
        title="Accounts"
        hint="Where your stories come from and where your code is. Teams choose their project and repositories from these."
      >
        <List
          of={read}
          lines={3}
          empty={
            <Empty icon={Blocks} title="No connections yet" action={add}>
              Connect GitHub, GitLab, Jira, Linear or Slack. Without a connection, stories are written here
              and repositories are folders on the server.
              {!may && ' An owner or admin can add one.'}
            </Empty>
          }
        >
          {(data) => (
            <Card className="divide-y">
              {data.map((connection) => (
                <Row key={connection.id} connection={connection} />
              ))}
            </Card>
          )}
        </List>
      </Section>
      {may && <PendingApps />}
      <InstallationIntegrations />
    </Page>
  )
}

/** GitHub Apps between their creation and their installation. */
function PendingApps() {
  const { data } = useRead('connections.apps', {})
  if (!data || data.data.length === 0) return null
  return (
    <Section title="Not installed yet" hint="GitHub Apps that were created here and have no repositories.">
      <Card className="divide-y">
        {data.data.map((app) => (
          <div key={app.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3">
            <p className="min-w-0 text-sm break-words">
              {app.name} <span className="text-muted">created</span> <Time at={app.createdAt} plain />
            </p>
            <Link
              to="/$ws/settings/connections/github-app"
              search={{ app: app.id }}
              className={buttonClass('plain', 'small')}
            >
              Install
            </Link>
          </div>
        ))}
      </Card>
    </Section>
  )
}

function Row({ connection }: { connection: ConnectionRow }) {
  const { name, icon: Icon } = toolOf(connection.kind)
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 py-3">
      <div className="flex min-w-0 flex-1 basis-40 items-start gap-3">
        <Icon size={18} aria-hidden="true" className="mt-0.5 shrink-0 text-accent" />
        <div className="min-w-0">
          <h3 className="text-sm font-medium break-words">
            <Link
              to="/$ws/settings/connections/$connection"
              params={{ connection: connection.id }}
              className="underline-offset-2 hover:underline"
            >
              {connection.name}
            </Link>
          </h3>
          <p className="text-xs break-words text-muted">
            {name}
            {connection.account && ` as ${connection.account}`}.{' '}
            {connection.refusals[0] ? (
              <RefusalText text={connection.refusals[0].message} />
            ) : isRefused(connection) ? (
              <RefusalText text={connection.lastRefusal ?? ''} />
            ) : connection.lastSuccessAt ? (
              <>
                Last success <Time at={connection.lastSuccessAt} plain />.
              </>
            ) : null}
          </p>
        </div>
      </div>
      <ConnectionState of={connection} />
    </div>
  )
}
