import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import { useForbiddenHere } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { useDraft } from '../ui/draft.ts'
import { SaveForm } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { NameField } from '../ui/text-field.tsx'
import { Repositories } from './repositories.tsx'

/** What a service is called, and what it is built from. */
export function General({ service: { id, name, repositories } }: { service: ServiceRow }) {
  const forbidden = useForbiddenHere('manage services', 'services', { id })
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
        action="Save name and repositories"
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
