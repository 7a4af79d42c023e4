import type { TeamOverview } from '@signalbox/contract/app/teams.ts'
import { useNavigate, useParams } from '@tanstack/react-router'
import { CirclePause } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWorkspace, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input, Textarea } from '../ui/field.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { complain, say } from '../ui/toast.tsx'
import { ResumeButton } from './banners.tsx'

export function TeamGeneral() {
  const { team } = useParams({ from: '/$ws/teams/$team/settings/general' })
  const read = useRead('teams.read', { team })
  return (
    <Loaded of={read}>
      {(found) => (
        <div className="max-w-2xl">
          <Names team={found} />
          <Pausing team={found} />
          <Deleting team={found} />
        </div>
      )}
    </Loaded>
  )
}

function Names({ team }: { team: TeamOverview }) {
  const [change, may] = [useWrite('teams.change'), useMay('admin')]
  // Null: as the server has it.
  const [name, setName] = useState<string | null>(null)
  const [description, setDescription] = useState<string | null>(null)
  const isChanged =
    (name !== null && name.trim() !== team.name) ||
    (description !== null && description.trim() !== (team.description ?? ''))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!may || !isChanged) return
    change.mutate(
      {
        team: team.slug,
        ...(name === null ? {} : { name }),
        ...(description === null ? {} : { description: description.trim() || null }),
      },
      {
        onSuccess: () => {
          say('Saved')
          setName(null)
          setDescription(null)
        },
        onError: complain,
      },
    )
  }
  return (
    <Section title="General" hint={!may && 'Team settings: owners and admins'}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Name">
          {(ids) => (
            <Input
              {...ids}
              required
              maxLength={100}
              disabled={!may}
              value={name ?? team.name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Field label="Description">
          {(ids) => (
            <Textarea
              {...ids}
              rows={3}
              maxLength={1000}
              disabled={!may}
              value={description ?? team.description ?? ''}
              onChange={({ target }) => setDescription(target.value)}
            />
          )}
        </Field>
        <dl className="grid grid-cols-2 gap-4 text-[13px]">
          <div>
            <dt className="font-medium">Slug</dt>
            <dd className="font-mono break-all text-muted">{team.slug}</dd>
          </div>
          <div>
            <dt className="font-medium">Key prefix</dt>
            <dd className="font-mono text-muted">{team.keyPrefix}</dd>
          </div>
        </dl>
        <p className="text-xs text-muted">Slug and key prefix stand in addresses and keys, so they stay.</p>
        <div>
          <Button
            type="submit"
            look="primary"
            busy={change.isPending}
            forbidden={!may ? 'Team settings: owners and admins' : !isChanged && 'Nothing is changed'}
          >
            Save
          </Button>
        </div>
      </form>
    </Section>
  )
}

function Pausing({ team }: { team: TeamOverview }) {
  const [pause, resume, may] = [useWrite('teams.pause'), useWrite('teams.resume'), useMay('admin')]
  const [reason, setReason] = useState('')
  if (team.pause)
    return (
      <Section title="Paused">
        <p className="mb-3 text-[13px]">
          Since <Time at={team.pause.since} />
          {team.pause.by && ` by ${team.pause.by}`}
          {team.pause.reason && `: ${team.pause.reason}`}
        </p>
        <ResumeButton team={team.slug} />
      </Section>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!may) return
    pause.mutate(
      { team: team.slug, ...(reason.trim() ? { reason: reason.trim() } : {}) },
      {
        onSuccess: () => {
          say('Paused', () => resume.mutate({ team: team.slug }, { onError: complain }))
          setReason('')
        },
        onError: complain,
      },
    )
  }
  return (
    <Section title="Pause" hint="A paused team starts nothing new. What runs is finished.">
      <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 grow">
          <Field label="Reason, shown on the board">
            {(ids) => (
              <Input
                {...ids}
                maxLength={1000}
                disabled={!may}
                value={reason}
                onChange={({ target }) => setReason(target.value)}
              />
            )}
          </Field>
        </div>
        <Button
          type="submit"
          icon={<CirclePause size={14} />}
          busy={pause.isPending}
          forbidden={!may && 'Pause and resume: owners and admins'}
        >
          Pause the team
        </Button>
      </form>
    </Section>
  )
}

function Deleting({ team }: { team: TeamOverview }) {
  const [ws, navigate, may] = [useWorkspace(), useNavigate(), useMay('owner')]
  const remove = useWrite('teams.delete', { alsoStale: ['decisions', 'stories'] })
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed !== team.slug) return
    remove.mutate(
      { team: team.slug },
      {
        onSuccess: () => {
          say(`${team.name} was deleted`)
          void navigate({ to: '/$ws/teams', params: { ws } })
        },
        onError: complain,
      },
    )
  }
  return (
    <Section
      title="Delete the team"
      hint="Its stories, runs and audit entries stay readable; nothing of it is worked on any more. Not possible while a run is at work or a service belongs to it."
    >
      <Button look="danger" forbidden={!may && 'Delete a team: owners'} onClick={() => setOpen(true)}>
        Delete {team.name}
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={`Delete ${team.name}`}
        description="This cannot be taken back, and nobody else gets the slug or the key prefix."
      >
        <form onSubmit={submit}>
          <Field label={`Type ${team.slug} to confirm`}>
            {(ids) => (
              <Input
                {...ids}
                autoComplete="off"
                value={typed}
                onChange={({ target }) => setTyped(target.value)}
                className="font-mono"
              />
            )}
          </Field>
          <div className="mt-4 flex justify-end gap-2">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button
              type="submit"
              look="danger"
              busy={remove.isPending}
              forbidden={typed !== team.slug && 'The slug is not typed yet'}
            >
              Delete
            </Button>
          </div>
        </form>
      </Dialog>
    </Section>
  )
}
