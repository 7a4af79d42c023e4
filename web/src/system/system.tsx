import type { System as Shown, SystemCheck } from '@signalbox/contract/app/system.ts'
import { Check, CircleX, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useRead } from '../api/queries.ts'
import { Badge, type Look } from '../ui/badge.tsx'
import { Card, Loaded, Page, Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

const looks: Record<SystemCheck['state'], Look> = {
  ok: { tone: 'ok', icon: Check, word: 'OK' },
  warning: { tone: 'warn', icon: TriangleAlert, word: 'Warning' },
  failed: { tone: 'danger', icon: CircleX, word: 'Failed' },
}

/** How the installation is doing, for its owners. */
export function System() {
  const system = useRead('system.read', {})
  return (
    <Page title="System">
      <Loaded of={system} lines={10}>
        {(shown) => (
          <>
            <Checks checks={shown.checks} />
            <Nodes nodes={shown.nodes} />
            <Database database={shown.database} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const Checks = ({ checks }: Pick<Shown, 'checks'>) => (
  <Section
    title="Checks"
    hint="They cover this installation with all its workspaces. On the server, the doctor command prints the same."
  >
    <Card className="divide-y">
      {checks.map(({ name, title, state, says, remedy }) => (
        <div key={name} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 py-3">
          <div className="min-w-0 flex-1 basis-40">
            <h3 className="text-sm font-medium">{title}</h3>
            <p className="text-sm break-words text-muted">{says}</p>
            {remedy && <p className="mt-1 text-sm break-words">{remedy}</p>}
          </div>
          <Badge {...looks[state]} />
        </div>
      ))}
    </Card>
  </Section>
)

const Nodes = ({ nodes }: Pick<Shown, 'nodes'>) => (
  <Section title="Nodes" hint="Processes that serve this installation or did so in the last hour.">
    <Table
      caption="Nodes"
      keyOf={({ id }) => id}
      rows={nodes}
      columns={[
        { title: 'Machine', cell: ({ host }) => host ?? 'Unknown' },
        {
          title: 'Status',
          cell: ({ isServing }) =>
            isServing ? <Badge {...looks.ok} word="Serving" /> : <Badge word="Not serving" />,
        },
        { title: 'Version', cell: ({ version }) => version ?? 'Older' },
        { title: 'Migration', right: true, cell: ({ migration }) => migration ?? 'Unknown' },
        {
          title: 'Clock',
          right: true,
          wideOnly: true,
          cell: ({ skewSeconds }) => `${skewSeconds.toFixed(2)} s`,
        },
        { title: 'Started', cell: ({ startedAt }) => <Time at={startedAt} /> },
      ]}
    />
  </Section>
)

function Database({ database }: Pick<Shown, 'database'>) {
  const rows: [name: string, value: ReactNode][] = [
    ['Version', `PostgreSQL ${database.version}`],
    ['Size', size(database.bytes)],
    ['Connections', `${database.connections} of ${database.mostConnections}`],
    ['Role', database.role],
    [
      'Migration',
      <>
        {database.migration ?? 'None'} {database.migratedAt && <Time at={database.migratedAt} />}
      </>,
    ],
  ]
  return (
    <Section title="Database">
      <Card>
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 px-4 py-3 text-sm">
          {rows.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0 break-words">{value}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </Section>
  )
}

const size = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(0)} MB`
