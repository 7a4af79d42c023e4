import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import type { SourceKind } from '@signalbox/contract/source.ts'
import { Link } from '@tanstack/react-router'
import { Plug, Plus } from 'lucide-react'
import { useMay } from '../api/me.ts'
import { useRead, useWorkspace } from '../api/queries.ts'
import { useKinds } from '../sources/kinds.ts'
import { SourceState } from '../sources/state.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Empty, Loaded, Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

export function ServiceSources({ service }: { service: ServiceRow }) {
  const ws = useWorkspace()
  const may = useMay('admin')
  const sources = useRead('sources.list', { service: service.id })
  const kinds = useKinds()
  const nameOf = (kind: SourceKind) => kinds.data?.find((one) => one.kind === kind)?.name
  const add = may ? (
    <Link
      to="/$ws/services/$service/sources/new"
      params={{ ws, service: service.id }}
      className={buttonClass('primary')}
    >
      <Plus size={14} aria-hidden="true" /> Add source
    </Link>
  ) : (
    <Button look="primary" icon={<Plus size={14} />} forbidden="Only owners and admins can manage sources">
      Add source
    </Button>
  )
  return (
    <Section
      title="Sources"
      hint="Where this service’s alerts come from."
      aside={sources.data?.data.length !== 0 && add}
    >
      <Loaded of={sources}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon={Plug} title="No sources yet" action={add}>
              A source gives one alerting tool an address to send alerts to, and a secret to authenticate
              with.
            </Empty>
          ) : (
            <Table
              caption="Sources"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Source',
                  className: 'md:w-full',
                  cell: ({ id, name }) => (
                    <Link
                      to="/$ws/services/$service/sources/$source"
                      params={{ ws, service: service.id, source: id }}
                      className="inline-block py-1 font-medium wrap-anywhere hover:underline"
                    >
                      {name}
                    </Link>
                  ),
                },
                {
                  title: 'Type',
                  cell: ({ kind }) => <span className="whitespace-nowrap">{nameOf(kind)}</span>,
                },
                { title: 'Status', cell: (source) => <SourceState source={source} /> },
                {
                  title: 'Services',
                  cell: ({ services }) => (
                    <span className="whitespace-nowrap">
                      {services.length === 1 ? 'Only this one' : `${services.length} services`}
                    </span>
                  ),
                },
                {
                  title: 'Last delivery',
                  cell: ({ lastDeliveryAt }) =>
                    lastDeliveryAt ? <Time at={lastDeliveryAt} /> : <span className="text-muted">Never</span>,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
