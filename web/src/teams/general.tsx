import type { TeamRow } from '@signalbox/contract/app/teams.ts'
import { maxReasonLength } from '@signalbox/contract/limits.ts'
import { useNavigate, useParams } from '@tanstack/react-router'
import { CirclePause } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWorkspace, useWrite } from '../api/queries.ts'
import { ChannelsSection } from '../chat/channels.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogEnd } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { LeaveGuard } from '../ui/leave-guard.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { complain, say } from '../ui/toast.tsx'
import { ResumeButton } from './banners.tsx'
import { BindingSections } from './binding.tsx'
import { DescriptionField, NameField } from './fields.tsx'
import { InsideSection } from './inside.tsx'
import { MirrorSection } from './mirror.tsx'
import { RepositorySection } from './repository.tsx'

export function TeamGeneral() {
  const { team } = useParams({ from: '/$ws/teams/$team/settings/general' })
  const read = useRead('teams.read', { team })
  return (
    <Loaded of={read}>
      {(found) => (
        <div className="max-w-2xl">
          <Names team={found} />
          <BindingSections team={found} />
          <MirrorSection team={found.slug} />
          <RepositorySection team={found} />
          <InsideSection team={found.slug} />
          <ChannelsSection team={found} />
          <Pausing team={found} />
          <Deleting team={found} />
        </div>
      )}
    </Loaded>
  )
}

function Names({ team }: { team: TeamRow }) {
  const [change, may] = [useWrite('teams.change'), useMay('admin')]
  // Null: as the server has it.
  const [name, setName] = useState<string | null>(null)
  const [description, setDescription] = useState<string | null>(null)
  const isChanged =
    (name !== null && name.trim() !== team.name) ||
    (description !== null && description.trim() !== (team.description ?? ''))
  const submit = () => {
    if (!may || !isChanged || change.isPending) return
    change.mutate(
      {
        team: team.slug,
        ...(name === null ? {} : { name }),
        ...(description === null ? {} : { description: description.trim() || null }),
      },
      {
        onSuccess: () => {
          say('Changes saved')
          setName(null)
          setDescription(null)
        },
      },
    )
  }
  return (
    <Section title="General" hint={!may && 'Only owners and admins can change team settings'}>
      <Form onSend={submit}>
        <NameField value={name ?? team.name} onChange={setName} disabled={!may} />
        <DescriptionField
          value={description ?? team.description ?? ''}
          onChange={setDescription}
          disabled={!may}
        />
        <dl className="grid grid-cols-2 gap-4 text-sm">
          <div>
            <dt className="font-medium">Slug</dt>
            <dd className="font-mono break-all text-muted">{team.slug}</dd>
          </div>
          <div>
            <dt className="font-medium">Key prefix</dt>
            <dd className="font-mono text-muted">{team.keyPrefix}</dd>
          </div>
        </dl>
        <p className="text-xs text-muted">
          The slug and key prefix can’t be changed, because URLs and story keys use them.
        </p>
        <Refused error={change.error} />
        <div>
          <Button
            type="submit"
            look="primary"
            busy={change.isPending}
            forbidden={
              !may ? 'Only owners and admins can change team settings' : !isChanged && 'No changes to save'
            }
          >
            Save changes
          </Button>
        </div>
      </Form>
      <LeaveGuard when={isChanged} what={team.name} />
    </Section>
  )
}

function Pausing({ team }: { team: TeamRow }) {
  const [pause, resume, may] = [useWrite('teams.pause'), useWrite('teams.resume'), useMay('admin')]
  const [reason, setReason] = useState('')
  const submit = () => {
    if (!may || pause.isPending) return
    pause.mutate(
      { team: team.slug, ...(reason.trim() ? { reason: reason.trim() } : {}) },
      {
        onSuccess: () => {
          say('Team paused', () => resume.mutate({ team: team.slug }, { onError: complain }))
          setReason('')
        },
        onError: complain,
      },
    )
  }
  return (
    <Section title="Pause" hint="A paused team starts no new runs. Current runs will finish.">
      {team.pause ? (
        <ResumeButton team={team.slug} />
      ) : (
        <Form onSend={submit} className="flex flex-wrap items-end gap-3">
          <div className="min-w-48 grow">
            <TextField
              label="Reason (optional), shown on the team’s pages"
              maxLength={maxReasonLength}
              disabled={!may}
              value={reason}
              onChange={setReason}
            />
          </div>
          <Button
            type="submit"
            icon={<CirclePause size={14} />}
            busy={pause.isPending}
            forbidden={!may && 'Only owners and admins can pause and resume teams'}
          >
            Pause team
          </Button>
        </Form>
      )}
    </Section>
  )
}

function Deleting({ team }: { team: TeamRow }) {
  const [ws, navigate, may] = [useWorkspace(), useNavigate(), useMay('owner')]
  const remove = useWrite('teams.delete', { alsoStale: ['decisions', 'stories'] })
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const ask = () => {
    setTyped('')
    remove.reset()
    setOpen(true)
  }
  const submit = () => {
    if (typed !== team.slug || remove.isPending) return
    remove.mutate(
      { team: team.slug },
      {
        onSuccess: () => {
          say(`${team.name} deleted`)
          void navigate({ to: '/$ws/teams', params: { ws } })
        },
      },
    )
  }
  return (
    <Section
      title="Delete team"
      hint="Its stories, runs and audit entries stay readable, but no more work is done on them. You can’t delete a team that has active runs or services."
    >
      <Button look="danger" forbidden={!may && 'Only owners can delete teams'} onClick={ask}>
        Delete {team.name}
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={`Delete ${team.name}`}
        description="This can’t be undone. The slug and key prefix can’t be used again."
      >
        <Form onSend={submit}>
          <TextField
            label={`Type ${team.slug} to confirm`}
            autoComplete="off"
            value={typed}
            onChange={setTyped}
            className="font-mono"
          />
          <Refused error={remove.error} />
          <DialogEnd
            action="Delete"
            look="danger"
            busy={remove.isPending}
            forbidden={typed !== team.slug && 'Type the slug to confirm'}
            onClose={() => setOpen(false)}
          />
        </Form>
      </Dialog>
    </Section>
  )
}
