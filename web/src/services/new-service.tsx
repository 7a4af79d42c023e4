import type { Repository } from '@signalbox/contract/service.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useRead, useWorkspace, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input, Select } from '../ui/field.tsx'
import { complain, say } from '../ui/toast.tsx'
import { Repositories } from './repositories.tsx'

export function NewService({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="New service"
      description="Its settings begin with the defaults. The next step is a source that tells of it."
    >
      <Form />
    </Dialog>
  )
}

function Form() {
  const ws = useWorkspace()
  const navigate = useNavigate()
  const teams = useRead('teams.list', {})
  const create = useWrite('services.create')
  const [name, setName] = useState('')
  const [chosen, setTeam] = useState('')
  const [repositories, setRepositories] = useState<Repository[]>([])
  const team = chosen || (teams.data?.[0]?.slug ?? '')
  const submit = () =>
    create.mutate(
      { name: name.trim(), team, repositories: repositories.filter(({ url }) => url.trim() !== '') },
      {
        onSuccess: ({ id }) => {
          say(`Made ${name.trim()}`)
          void navigate({
            to: '/$ws/services/$service',
            params: { ws, service: id },
            search: { tab: 'sources' },
          })
        },
        onError: complain,
      },
    )
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Field
        label="Name"
        hint="As your alerting tools write it: a source that feeds several services goes by it."
      >
        {(ids) => (
          <Input
            {...ids}
            required
            maxLength={100}
            value={name}
            onChange={({ target }) => setName(target.value)}
            placeholder="checkout-api"
          />
        )}
      </Field>
      <Field
        label="Team"
        hint="Fixes and decisions about the service go to it. This cannot be changed later."
      >
        {(ids) => (
          <Select {...ids} required value={team} onChange={({ target }) => setTeam(target.value)}>
            {teams.data?.map((one) => (
              <option key={one.slug} value={one.slug}>
                {one.name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Repositories value={repositories} onChange={setRepositories} />
      <div className="flex justify-end">
        <Button
          type="submit"
          look="primary"
          busy={create.isPending}
          disabled={name.trim() === '' || team === ''}
        >
          Make service
        </Button>
      </div>
    </form>
  )
}
