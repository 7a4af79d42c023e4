import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { useMay } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { useDraft } from '../ui/draft.ts'
import { NamedForm } from '../ui/named-form.tsx'
import { Section } from '../ui/page.tsx'
import { say } from '../ui/toast.tsx'
import type { Kind } from './kinds.ts'
import { ServicesField } from './services-field.tsx'
import { SettingFields } from './setting-fields.tsx'

export function EditSource({ source, kind }: { source: SourceRow; kind: Kind }) {
  const may = useMay('admin')
  const change = useWrite('sources.change', { alsoStale: ['services'] })
  const { name, services, settings } = source
  const draft = useDraft({ name, services, settings })
  return (
    <Section title="Settings">
      <NamedForm
        name={draft.value.name}
        onName={(typed) => draft.set({ name: typed })}
        forbidden={!may && 'Only owners and admins can manage sources'}
        isChanged={draft.changed.length > 0}
        saving={change}
        onSave={() =>
          change.mutate(
            { source: source.id, ...draft.changes },
            {
              onSuccess: () => {
                draft.discard()
                say('Changes saved')
              },
            },
          )
        }
      >
        <SettingFields
          kind={kind}
          value={draft.value.settings}
          onChange={(next) => draft.set({ settings: next })}
          disabled={!may}
        />
        <ServicesField
          value={draft.value.services}
          onChange={(next) => draft.set({ services: next })}
          disabled={!may}
        />
      </NamedForm>
    </Section>
  )
}
