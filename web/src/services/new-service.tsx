import type { Repository } from '@signalbox/contract/service.ts'
import { useState } from 'react'
import { useRead } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { buttonClass } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Dialog, DialogEnd } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { Link, useGo } from '../ui/link.ts'
import { Loaded } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { NameField } from '../ui/text-field.tsx'
import { Repositories } from './repositories.tsx'

export function NewService({ onClose }: { onClose: () => void }) {
  const teams = useRead('teams.list', {})
  return (
    <Dialog
      onClose={onClose}
      title="New service"
      description="It starts with the default settings. Next, add a source for its alerts."
    >
      <Loaded of={teams} lines={3}>
        {(all) => (all.length === 0 ? <NoTeam /> : <ServiceForm teams={all} onClose={onClose} />)}
      </Loaded>
    </Dialog>
  )
}

function NoTeam() {
  return (
    <div className="flex flex-col items-start gap-3 text-sm">
      <p>A service belongs to a team, which handles its fixes and decisions. You don’t have a team yet.</p>
      <Link to="/$ws/teams/new" className={buttonClass('primary')}>
        Create a team
      </Link>
    </div>
  )
}

interface FormProps {
  teams: readonly { slug: string; name: string }[]
  onClose: () => void
}

function ServiceForm({ teams, onClose }: FormProps) {
  const go = useGo()
  const [name, setName] = useState('')
  const [team, setTeam] = useState(teams[0]?.slug ?? '')
  const [repositories, setRepositories] = useState<Repository[]>([])
  const create = useAction('services.create', {
    said: `${name.trim()} created`,
    next: ({ id }) =>
      go({ to: '/$ws/services/$service', params: { service: id }, search: { tab: 'sources' } }),
  })
  const forbidden = name.trim() === '' && 'Enter a name'
  const submit = () =>
    !forbidden &&
    create.send({
      name: name.trim(),
      team,
      repositories: repositories.filter(({ url }) => url.trim() !== ''),
    })
  return (
    <Form onSend={submit}>
      <NameField
        hint="Use the name your alerting tools send. Shared sources match alerts to services by name."
        value={name}
        onChange={setName}
      />
      <ChoiceField
        label="Team"
        hint="Handles the service’s fixes and decisions. You can’t change this later."
        required
        value={team}
        onChange={setTeam}
        of={teams.map((one) => [one.slug, one.name])}
      />
      <Repositories value={repositories} onChange={setRepositories} />
      <Refused error={create.error} />
      <DialogEnd action="Create service" busy={create.isPending} forbidden={forbidden} onClose={onClose} />
    </Form>
  )
}
