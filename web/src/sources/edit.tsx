import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { useForbiddenHere } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { useDraft } from '../ui/draft.ts'
import { SaveForm } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { NameField } from '../ui/text-field.tsx'
import type { Kind } from './kinds.ts'
import { ServicesField } from './services-field.tsx'
import { SettingFields } from './setting-fields.tsx'

export function EditSource({ source, kind }: { source: SourceRow; kind: Kind }) {
  const forbidden = useForbiddenHere('manage sources', 'sources', { id: source.id })
  const { name, services, settings } = source
  const draft = useDraft({ name, services, settings })
  const change = useAction('sources.change', {
    alsoStale: ['services'],
    said: 'Changes saved',
    next: draft.discard,
  })
  return (
    <Section title="Settings">
      <SaveForm
        className="flex max-w-2xl flex-col gap-4"
        what={draft.value.name}
        of={change}
        isChanged={draft.changed.length > 0}
        forbidden={forbidden}
        onSave={() => change.send({ source: source.id, ...draft.changes })}
      >
        <NameField {...draft.field('name')} disabled={forbidden !== false} />
        <SettingFields kind={kind} {...draft.field('settings')} disabled={forbidden !== false} />
        <ServicesField {...draft.field('services')} disabled={forbidden !== false} />
      </SaveForm>
    </Section>
  )
}
