import type { TeamRepository, TeamRow } from '@signalbox/contract/app/teams.ts'
import { useState } from 'react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { useDraft } from '../ui/draft.ts'
import { SaveForm } from '../ui/form.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'

const none: TeamRepository = { name: '', address: '', branch: 'main' }

/** Where the team's code is. Runners begin there, and what they hand over is merged there. */
export function RepositorySection({ team }: { team: TeamRow }) {
  const read = useRead('teams.folders', { team: team.slug })
  const bindings = useRead('teams.bindings', { team: team.slug })
  // At a git host: then there is no folder.
  if (bindings.data?.repositories.some(({ connection }) => connection !== null)) return null
  return (
    <Section
      title="Folders on the server"
      hint="Without a git host, runs can work on bare Git repositories on the server."
    >
      <Loaded of={read}>{({ repositories }) => <Folders team={team.slug} saved={repositories} />}</Loaded>
    </Section>
  )
}

function Folders({ team, saved }: { team: string; saved: TeamRepository[] }) {
  const forbidden = useForbidden('change team settings')
  const [isAdding, setAdding] = useState(false)
  const others = (name: string) => saved.filter((one) => one.name !== name)
  return (
    <div className="flex flex-col gap-6">
      {saved.map((one) => (
        <FolderForm key={one.name} team={team} saved={one} others={others(one.name)} />
      ))}
      {(saved.length === 0 || isAdding) && (
        <FolderForm
          key={saved.length}
          team={team}
          saved={null}
          others={saved}
          onDone={() => setAdding(false)}
        />
      )}
      {saved.length > 0 && !isAdding && (
        <div>
          <Button forbidden={forbidden} onClick={() => setAdding(true)}>
            Add folder
          </Button>
        </div>
      )}
    </div>
  )
}

interface Folder {
  team: string
  /** Null: a new one. */
  saved: TeamRepository | null
  /** The other folders, which stay as they are. */
  others: TeamRepository[]
  onDone?: () => void
}

function FolderForm({ team, saved, others, onDone }: Folder) {
  const forbidden = useForbidden('change team settings')
  const draft = useDraft(saved ?? none)
  const write = useAction('teams.setFolders', {
    alsoStale: ['stories', 'workspaces'],
    said: (_, { repositories }) =>
      repositories.length > others.length ? 'Repository saved' : 'Repository removed',
    next: () => {
      draft.discard()
      onDone?.()
    },
  })
  const save = (own: TeamRepository[]) => write.send({ team, repositories: [...others, ...own] })
  const field = (name: keyof TeamRepository, label: string, hint: string) => (
    <TextField label={label} hint={hint} required disabled={forbidden !== false} {...draft.field(name)} />
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw its own box
    <div role="group" aria-label={saved?.name ?? 'New folder'}>
      <SaveForm
        of={write}
        isChanged={draft.changed.length > 0}
        forbidden={forbidden}
        action="Save repository"
        onSave={() => save([draft.value])}
        aside={
          <>
            {saved && (
              <Button busy={write.isPending} forbidden={forbidden} onClick={() => save([])}>
                Remove repository
              </Button>
            )}
            {!saved && others.length > 0 && onDone && (
              <Button onClick={onDone}>{draft.changed.length > 0 ? 'Discard' : 'Cancel'}</Button>
            )}
          </>
        }
      >
        {field('name', 'Repository name', 'For example halden/checkout-web.')}
        {field(
          'address',
          'Folder',
          'On the server, such as /srv/git/checkout-web.git. It has to be allowed on the server.',
        )}
        {field('branch', 'Branch', 'Changes are merged into it.')}
      </SaveForm>
    </div>
  )
}
