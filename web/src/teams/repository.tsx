import type { TeamRepository, TeamRow } from '@signalbox/contract/app/teams.ts'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { say } from '../ui/toast.tsx'

const none: TeamRepository = { name: '', address: '', branch: 'main' }
const forbidden = 'Only owners and admins can change team settings'

/** Where the team's code is. Runners begin there, and what they hand over is merged there. */
export function RepositorySection({ team }: { team: TeamRow }) {
  const read = useRead('teams.repository', { team: team.slug })
  const bindings = useRead('teams.bindings', { team: team.slug })
  // At a git host: then there is no folder.
  if (bindings.data?.repositories.some(({ connection }) => connection !== null)) return null
  return (
    <Section
      title="Folder on the server"
      hint="Without a git host, runs can work on a bare Git repository on the server."
    >
      <Loaded of={read}>{({ repository }) => <RepositoryForm team={team.slug} saved={repository} />}</Loaded>
    </Section>
  )
}

function RepositoryForm({ team, saved }: { team: string; saved: TeamRepository | null }) {
  const [write, may] = [useWrite('teams.setRepository'), useMay('admin')]
  // Null: as the server has it.
  const [draft, setDraft] = useState<TeamRepository | null>(null)
  const shown = draft ?? saved ?? none
  const isChanged = draft !== null && JSON.stringify(draft) !== JSON.stringify(saved ?? none)
  const save = (repository: TeamRepository | null) => {
    if (!may || write.isPending) return
    write.mutate(
      { team, repository },
      {
        onSuccess: () => {
          say(repository ? 'Repository saved' : 'Repository removed')
          setDraft(null)
        },
      },
    )
  }
  const field = (name: keyof TeamRepository, label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      required
      disabled={!may}
      value={shown[name]}
      onChange={(value) => setDraft({ ...shown, [name]: value })}
    />
  )
  return (
    <Form onSend={() => isChanged && save(shown)}>
      {field('name', 'Repository name', 'As people know it, such as halden/checkout-web.')}
      {field(
        'address',
        'Folder',
        'On the server, such as /srv/git/checkout-web.git. The server’s operator has to allow it.',
      )}
      {field('branch', 'Branch', 'Changes are merged into it.')}
      <Refused error={write.error} />
      <div className="flex flex-wrap gap-3">
        <Button
          type="submit"
          look="primary"
          busy={write.isPending}
          forbidden={!may ? forbidden : !isChanged && 'No changes to save'}
        >
          Save repository
        </Button>
        {saved && (
          <Button busy={write.isPending} forbidden={!may && forbidden} onClick={() => save(null)}>
            Remove repository
          </Button>
        )}
      </div>
    </Form>
  )
}
