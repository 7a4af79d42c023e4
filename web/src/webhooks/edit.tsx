import type { WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { useForbiddenHere } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { useDraft } from '../ui/draft.ts'
import { SaveForm } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { EndpointFields, isComplete, type Settings } from './fields.tsx'

/** What was changed is kept here until it is saved. */
export function EditEndpoint({ endpoint }: { endpoint: WebhookRow }) {
  const { id, url, description, teams } = endpoint
  const forbidden = useForbiddenHere('manage webhooks', 'webhooks', { id })
  const { value, changed, set, discard } = useDraft<Settings>({
    ...{ url, description, teams },
    events: [...endpoint.events],
  })
  const change = useAction('webhooks.change', { said: 'Changes saved', next: discard })
  const isChanged = changed.length > 0
  return (
    <Section title="Settings" hint="Pending messages go to the new URL.">
      <SaveForm
        className="flex max-w-2xl flex-col gap-4"
        of={change}
        isChanged={isChanged}
        forbidden={forbidden}
        onSave={() => isComplete(value) && change.send({ webhook: id, ...value })}
        aside={isChanged && <Button onClick={discard}>Discard</Button>}
      >
        <EndpointFields value={value} onChange={set} />
      </SaveForm>
    </Section>
  )
}
