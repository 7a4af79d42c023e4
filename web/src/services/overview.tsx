import type { ServiceOverview } from '@signalbox/contract/app/services.ts'
import type { Repository } from '@signalbox/contract/service.ts'
import { Link } from '@tanstack/react-router'
import { CheckCircle2, Plus } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useWorkspace, useWrite } from '../api/queries.ts'
import { Age } from '../incidents/incidents.tsx'
import { SeverityBadge } from '../incidents/severity.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Card, Section } from '../ui/page.tsx'
import { complain, say } from '../ui/toast.tsx'
import { OnCallNow } from './on-call-now.tsx'
import { AlertPreview } from './preview.tsx'
import { Repositories } from './repositories.tsx'

export function Overview({ service }: { service: ServiceOverview }) {
  return (
    <>
      <Section title="Now">
        <Now service={service} />
      </Section>
      <AlertPreview service={service.id} />
      <Identity key={service.updatedAt} service={service} />
    </>
  )
}

function Now({ service }: { service: ServiceOverview }) {
  const ws = useWorkspace()
  const { openIncident, onCall, sources } = service
  return (
    <Card className="flex flex-col gap-3 p-4 text-[13px]">
      {openIncident ? (
        <div className="flex flex-wrap items-center gap-2">
          <SeverityBadge severity={openIncident.severity} />
          <Link
            to="/$ws/incidents/$key"
            params={{ ws, key: openIncident.key }}
            className="inline-flex min-h-7 flex-wrap items-center gap-x-2 font-medium break-words hover:underline"
          >
            <span className="font-mono text-xs text-muted">{openIncident.key}</span>
            {openIncident.title}
          </Link>
          <span className="text-muted">
            open for <Age incident={{ openedAt: openIncident.openedAt, resolvedAt: null }} />
          </span>
        </div>
      ) : (
        <p className="flex items-center gap-2">
          <CheckCircle2 size={14} aria-hidden="true" className="text-ok" /> No incident is open.
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-muted">On call now</span>
        <OnCallNow onCall={onCall} />
      </div>
      {sources === 0 && (
        <div className="flex flex-wrap items-center gap-3">
          <span>No source feeds this service, so nothing can arrive.</span>
          <Link
            to="/$ws/services/$service/sources/new"
            params={{ ws, service: service.id }}
            className={buttonClass('primary', 'small')}
          >
            <Plus size={13} aria-hidden="true" /> Add a source
          </Link>
        </div>
      )}
    </Card>
  )
}

function Identity({ service }: { service: ServiceOverview }) {
  const may = useMay('admin')
  const change = useWrite('services.change', { alsoStale: ['incidents'] })
  const [name, setName] = useState(service.name)
  const [repositories, setRepositories] = useState<Repository[]>(service.repositories)
  const wanted = {
    ...(name.trim() !== service.name ? { name: name.trim() } : {}),
    ...(JSON.stringify(repositories) !== JSON.stringify(service.repositories) ? { repositories } : {}),
  }
  return (
    <Section title="Name and repositories">
      <form
        className="flex max-w-2xl flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(
            { service: service.id, ...wanted },
            { onSuccess: () => say('Saved'), onError: complain },
          )
        }}
      >
        <Field label="Name">
          {(ids) => (
            <Input
              {...ids}
              required
              maxLength={100}
              disabled={!may}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Repositories value={repositories} onChange={setRepositories} disabled={!may} />
        <div>
          <Button
            type="submit"
            busy={change.isPending}
            forbidden={!may && 'Services: owners and admins'}
            disabled={may && Object.keys(wanted).length === 0}
          >
            Save
          </Button>
        </div>
      </form>
    </Section>
  )
}
