import { maxNameLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { useRead } from '../api/queries.ts'
import { useUnkept } from '../api/unkept.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Link } from '../ui/link.ts'
import { Refused } from '../ui/refused.tsx'
import { SecretField } from '../ui/secret-field.tsx'
import { NameField } from '../ui/text-field.tsx'
import type { MadeSource } from './added.tsx'
import type { Kind, SourceSettings } from './kinds.ts'
import { ServicesField } from './services-field.tsx'
import { SettingFields } from './setting-fields.tsx'

interface Props {
  kind: Kind
  service: string
  onMade: (made: MadeSource) => void
}

export function NewSourceForm({ kind, service, onMade }: Props) {
  const overview = useRead('services.read', { service })
  const add = useUnkept('sources.add')
  const [typed, setName] = useState<string | null>(null)
  const [services, setServices] = useState([service])
  const [settings, setSettings] = useState<SourceSettings>({})
  const [secret, setSecret] = useState('')
  const name =
    typed ?? (overview.data ? `${kind.sourceName} for ${overview.data.name}`.slice(0, maxNameLength) : '')
  const submit = () =>
    void add.send(
      { kind: kind.kind, name: name.trim(), services, settings, ...(secret ? { secret } : {}) },
      ({ id, url, secret: shown }) => onMade({ id, kind, url, secret: shown, isGiven: secret !== '' }),
    )
  return (
    <Form className="flex max-w-xl flex-col gap-4" onSend={() => !add.isPending && submit()}>
      <NameField hint="Shown on its alerts." value={name} onChange={setName} />
      <SettingFields kind={kind} value={settings} onChange={setSettings} />
      {kind.ownSecret && (
        <SecretField
          label={kind.ownSecret}
          hint={`${kind.name} creates it. If you don’t have it yet, you can paste it in the next step.`}
          value={secret}
          onChange={setSecret}
        />
      )}
      <ServicesField value={services} onChange={setServices} />
      <Refused error={add.error} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={add.isPending} disabled={name.trim() === ''}>
          Add source
        </Button>
        <Link to="/$ws/services/$service/sources/new" params={{ service }} className={buttonClass('quiet')}>
          Choose another type
        </Link>
      </div>
    </Form>
  )
}
