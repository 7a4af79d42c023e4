import type { TeamRow } from '@signalbox/contract/app/teams.ts'
import { maxReasonLength } from '@signalbox/contract/limits.ts'
import { useParams } from '@tanstack/react-router'
import { CirclePause } from 'lucide-react'
import { useState } from 'react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { ChannelsSection } from '../chat/channels.tsx'
import { ManagedBanner, useForbiddenHere } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { OpenButton } from '../ui/dialog.tsx'
import { useDraft } from '../ui/draft.ts'
import { Form, SaveForm } from '../ui/form.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { useGo } from '../ui/link.ts'
import { Loaded, Section } from '../ui/page.tsx'
import { NameField, TextField } from '../ui/text-field.tsx'
import { ResumeButton } from './banners.tsx'
import { BindingSections } from './binding.tsx'
import { DescriptionField } from './fields.tsx'
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
          <ManagedBanner kind="teams" which={{ id: found.id }} />
          <Names team={found} />
          <ManagedBanner kind="repositories" which={{ id: found.id }} />
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

function Names({ team: { id, slug, name, description, keyPrefix } }: { team: TeamRow }) {
  const forbidden = useForbiddenHere('change team settings', 'teams', { id })
  const draft = useDraft({ name, description: description ?? '' })
  const change = useAction('teams.change', { said: 'Changes saved', next: draft.discard })
  const submit = () => {
    const { description: changed, ...others } = draft.changes
    change.send({
      team: slug,
      ...others,
      ...(changed === undefined ? {} : { description: changed.trim() || null }),
    })
  }
  return (
    <Section title="General" hint={forbidden}>
      <SaveForm
        what={name}
        of={change}
        isChanged={draft.changed.length > 0}
        forbidden={forbidden}
        onSave={submit}
      >
        <NameField {...draft.field('name')} disabled={forbidden !== false} />
        <DescriptionField {...draft.field('description')} disabled={forbidden !== false} />
        <dl className="grid grid-cols-2 gap-4 text-sm">
          <div>
            <dt className="font-medium">Slug</dt>
            <dd className="font-mono break-all text-muted">{slug}</dd>
          </div>
          <div>
            <dt className="font-medium">Key prefix</dt>
            <dd className="font-mono text-muted">{keyPrefix}</dd>
          </div>
        </dl>
        <p className="text-xs text-muted">
          The slug and key prefix can’t be changed, because URLs and story keys use them.
        </p>
      </SaveForm>
    </Section>
  )
}

function Pausing({ team }: { team: TeamRow }) {
  const forbidden = useForbidden('pause and resume teams')
  const resume = useAction('teams.resume')
  const [reason, setReason] = useState('')
  const pause = useAction('teams.pause', {
    said: 'Team paused',
    undo: () => resume.press({ team: team.slug }),
    next: () => setReason(''),
  })
  const submit = () =>
    !forbidden && pause.press({ team: team.slug, ...(reason.trim() ? { reason: reason.trim() } : {}) })
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
              disabled={forbidden !== false}
              value={reason}
              onChange={setReason}
            />
          </div>
          <Button type="submit" icon={<CirclePause size={14} />} busy={pause.isPending} forbidden={forbidden}>
            Pause team
          </Button>
        </Form>
      )}
    </Section>
  )
}

function Deleting({ team }: { team: TeamRow }) {
  const forbidden = useForbiddenHere('delete teams', 'teams', { id: team.id }, 'owner')
  return (
    <Section
      title="Delete team"
      hint="Its stories, runs and audit entries stay readable, but no more work is done on them. You can’t delete a team that has active runs or services."
    >
      <OpenButton label={`Delete ${team.name}`} look="danger" forbidden={forbidden}>
        {(close) => <DeleteDialog team={team} onClose={close} />}
      </OpenButton>
    </Section>
  )
}

function DeleteDialog({ team: { slug, name }, onClose }: { team: TeamRow; onClose: () => void }) {
  const go = useGo()
  const [typed, setTyped] = useState('')
  const remove = useAction('teams.delete', {
    alsoStale: ['decisions', 'stories'],
    said: `${name} deleted`,
    next: () => go({ to: '/$ws/teams' }),
  })
  return (
    <FormDialog
      onClose={onClose}
      title={`Delete ${name}`}
      description="This can’t be undone. The slug and key prefix can’t be used again."
      of={remove}
      action="Delete"
      look="danger"
      forbidden={typed !== slug && 'Type the slug to confirm'}
      onSend={() => remove.send({ team: slug })}
    >
      <TextField
        label={`Type ${slug} to confirm`}
        data-passing
        autoComplete="off"
        value={typed}
        onChange={setTyped}
        className="font-mono"
      />
    </FormDialog>
  )
}
