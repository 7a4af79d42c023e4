import type { SourceSeen } from '@signalbox/contract/app/sources.ts'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { complain, say } from '../ui/toast.tsx'
import type { SourceSettings } from './kinds.ts'
import { ServicesField } from './services-field.tsx'
import { hasSettings, SettingFields } from './setting-fields.tsx'

export function EditSource({ source }: { source: SourceSeen }) {
  const may = useMay('admin')
  const change = useWrite('sources.change', { alsoStale: ['services'] })
  const [name, setName] = useState(source.name)
  const [services, setServices] = useState(source.services)
  const [settings, setSettings] = useState<SourceSettings>(source.settings)
  const differs = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other)
  const wanted = {
    ...(name.trim() !== source.name ? { name: name.trim() } : {}),
    ...(differs(services, source.services) ? { services } : {}),
    ...(differs(settings, source.settings) ? { settings } : {}),
  }
  return (
    <Section title="Settings">
      <form
        className="flex max-w-xl flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(
            { source: source.id, ...wanted },
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
        {hasSettings(source.kind) && (
          <SettingFields kind={source.kind} value={settings} onChange={setSettings} disabled={!may} />
        )}
        <ServicesField value={services} onChange={setServices} disabled={!may} />
        <div>
          <Button
            type="submit"
            busy={change.isPending}
            forbidden={!may && 'Sources: owners and admins'}
            disabled={may && Object.keys(wanted).length === 0}
          >
            Save
          </Button>
        </div>
      </form>
    </Section>
  )
}
