import { maxNameLength } from '@signalbox/contract/limits.ts'
import type { Repository } from '@signalbox/contract/service.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useRead, useWorkspace, useWrite } from '../api/queries.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { Loaded } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { say } from '../ui/toast.tsx'
import { Repositories } from './repositories.tsx'

export function NewService({ open, onClose }: { open: boolean; onClose: () => void }) {
  const teams = useRead('teams.list', {})
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="New service"
      description="It starts with the default settings. Next, add a source for its alerts."
    >
      <Loaded of={teams} lines={3}>
        {(all) => (all.length === 0 ? <NoTeam /> : <ServiceForm teams={all} />)}
      </Loaded>
    </Dialog>
  )
}

function NoTeam() {
  const ws = useWorkspace()
  return (
    <div className="flex flex-col items-start gap-3 text-sm">
      <p>A service belongs to a team, which handles its fixes and decisions. You don’t have a team yet.</p>
      <Link to="/$ws/teams/new" params={{ ws }} className={buttonClass('primary')}>
        Create a team
      </Link>
    </div>
  )
}

function ServiceForm({ teams }: { teams: readonly { slug: string; name: string }[] }) {
  const ws = useWorkspace()
  const navigate = useNavigate()
  const create = useWrite('services.create')
  const [name, setName] = useState('')
  const [team, setTeam] = useState(teams[0]?.slug ?? '')
  const [repositories, setRepositories] = useState<Repository[]>([])
  const submit = () =>
    create.mutate(
      { name: name.trim(), team, repositories: repositories.filter(({ url }) => url.trim() !== '') },
      {
        onSuccess: ({ id }) => {
          say(`${name.trim()} created`)
          void navigate({
            to: '/$ws/services/$service',
            params: { ws, service: id },
            search: { tab: 'sources' },
          })
        },
      },
    )
  return (
    <Form onSend={() => !create.isPending && submit()}>
      <TextField
        label="Name"
        hint="Use the name your alerting tools send. Shared sources match alerts to services by name."
        required
        maxLength={maxNameLength}
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
      <div className="flex justify-end">
        <Button type="submit" look="primary" busy={create.isPending} disabled={name.trim() === ''}>
          Create service
        </Button>
      </div>
    </Form>
  )
}
