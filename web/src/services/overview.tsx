import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import { CheckCircle2, Plus } from 'lucide-react'
import { useForbidden } from '../api/me.ts'
import { useAction } from '../ui/action.ts'
import { buttonClass } from '../ui/button.tsx'
import { useDraft } from '../ui/draft.ts'
import { SaveForm } from '../ui/form.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { Card, Section } from '../ui/page.tsx'
import { NameField } from '../ui/text-field.tsx'
import { Time } from '../ui/time.tsx'
import { SeverityBadge } from '../words/incidents.tsx'
import { OnCallNow } from './on-call-now.tsx'
import { Repositories } from './repositories.tsx'

export function Overview({ service }: { service: ServiceRow }) {
  return (
    <>
      <Section title="Status">
        <Now service={service} />
      </Section>
      <Identity service={service} />
    </>
  )
}

function Now({ service }: { service: ServiceRow }) {
  const { openIncident, tellsNoOne, sources } = service
  return (
    <Card className="flex flex-col gap-3 p-4 text-sm">
      {openIncident ? (
        <div className="flex flex-wrap items-center gap-2">
          <SeverityBadge severity={openIncident.severity} />
          <KeyLink
            to="incident"
            of={openIncident.key}
            className="inline-flex min-h-7 flex-wrap items-center gap-x-2 font-medium wrap-anywhere hover:underline"
          >
            <span className="font-mono text-xs text-muted">{openIncident.key}</span>
            <bdi>{openIncident.title}</bdi>
          </KeyLink>
          <span className="text-muted">
            opened <Time at={openIncident.openedAt} />
            {openIncident.assignee && `, taken by ${openIncident.assignee}`}
          </span>
        </div>
      ) : (
        <p className="flex items-center gap-2">
          <CheckCircle2 size={14} aria-hidden="true" className="text-ok" /> No open incidents.
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-muted">On call now</span>
        <OnCallNow service={service} />
      </div>
      {tellsNoOne && (
        <div role="alert" className="flex flex-wrap items-center gap-3 text-danger">
          <span>No one is notified when this service has an incident.</span>
          <Link
            to="/$ws/services/$service"
            params={{ service: service.id }}
            search={{ tab: 'settings' }}
            className={buttonClass('primary', 'small')}
          >
            Choose who is notified
          </Link>
        </div>
      )}
      {sources === 0 && (
        <div className="flex flex-wrap items-center gap-3">
          <span>No sources yet, so this service can’t receive alerts.</span>
          <Link
            to="/$ws/services/$service/sources/new"
            params={{ service: service.id }}
            className={buttonClass('primary', 'small')}
          >
            <Plus size={13} aria-hidden="true" /> Add source
          </Link>
        </div>
      )}
    </Card>
  )
}

function Identity({ service: { id, name, repositories } }: { service: ServiceRow }) {
  const forbidden = useForbidden('manage services')
  const draft = useDraft({ name, repositories })
  const change = useAction('services.change', {
    alsoStale: ['incidents'],
    said: 'Changes saved',
    next: draft.discard,
  })
  return (
    <Section title="Name and repositories">
      <SaveForm
        className="flex max-w-2xl flex-col gap-4"
        what={draft.value.name}
        of={change}
        isChanged={draft.changed.length > 0}
        forbidden={forbidden}
        onSave={() => change.send({ service: id, ...draft.changes })}
      >
        <NameField {...draft.field('name')} disabled={forbidden !== false} />
        <Repositories {...draft.field('repositories')} disabled={forbidden !== false} />
      </SaveForm>
    </Section>
  )
}
