import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import type { SourceKind } from '@signalbox/contract/source.ts'
import { Plug, Plus } from 'lucide-react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { useKinds } from '../sources/kinds.ts'
import { SourceState } from '../sources/state.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Link } from '../ui/link.ts'
import { Listed } from '../ui/listed.tsx'
import { Empty, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'

export function ServiceSources({ service }: { service: ServiceRow }) {
  const forbidden = useForbidden('manage sources')
  const sources = useRead('sources.list', { service: service.id })
  const kinds = useKinds()
  const nameOf = (kind: SourceKind) => kinds.data?.find((one) => one.kind === kind)?.name
  const add = !forbidden ? (
    <Link
      to="/$ws/services/$service/sources/new"
      params={{ service: service.id }}
      className={buttonClass('primary')}
    >
      <Plus size={14} aria-hidden="true" /> Add source
    </Link>
  ) : (
    <Button look="primary" icon={<Plus size={14} />} forbidden={forbidden}>
      Add source
    </Button>
  )
  return (
    <Section
      title="Sources"
      hint="Where this service’s alerts come from."
      aside={sources.data?.data.length ? add : undefined}
    >
      <Listed
        of={sources}
        empty={
          <Empty icon={Plug} title="No sources yet" action={add}>
            A source gives one alerting tool an address to send alerts to, and a secret to authenticate with.
          </Empty>
        }
        caption="Sources"
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Source',
            className: 'md:w-full',
            cell: ({ id, name }) => (
              <Link
                to="/$ws/services/$service/sources/$source"
                params={{ service: service.id, source: id }}
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
    </Section>
  )
}
