import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import { Link } from '@tanstack/react-router'
import { CheckCircle2, Plus } from 'lucide-react'
import { useMay } from '../api/me.ts'
import { useWorkspace, useWrite } from '../api/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { useDraft } from '../ui/draft.ts'
import { KeyLink } from '../ui/key-link.tsx'
import { NamedForm } from '../ui/named-form.tsx'
import { Card, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { say } from '../ui/toast.tsx'
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
  const ws = useWorkspace()
  const { openIncident, onCall, sources } = service
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
            {openIncident.title}
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
        <OnCallNow onCall={onCall} />
      </div>
      {sources === 0 && (
        <div className="flex flex-wrap items-center gap-3">
          <span>No sources yet, so this service can’t receive alerts.</span>
          <Link
            to="/$ws/services/$service/sources/new"
            params={{ ws, service: service.id }}
            className={buttonClass('primary', 'small')}
          >
            <Plus size={13} aria-hidden="true" /> Add source
          </Link>
        </div>
      )}
    </Card>
  )
}

function Identity({ service }: { service: ServiceRow }) {
  const may = useMay('admin')
  const change = useWrite('services.change', { alsoStale: ['incidents'] })
  const { name, repositories } = service
  const draft = useDraft({ name, repositories })
  return (
    <Section title="Name and repositories">
      <NamedForm
        name={draft.value.name}
        onName={(typed) => draft.set({ name: typed })}
        forbidden={!may && 'Only owners and admins can manage services'}
        isChanged={draft.changed.length > 0}
        saving={change}
        onSave={() =>
          change.mutate(
            { service: service.id, ...draft.changes },
            {
              onSuccess: () => {
                draft.discard()
                say('Changes saved')
              },
            },
          )
        }
      >
        <Repositories
          value={draft.value.repositories}
          onChange={(next) => draft.set({ repositories: next })}
          disabled={!may}
        />
      </NamedForm>
    </Section>
  )
}
