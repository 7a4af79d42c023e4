import type { TeamBindings } from '@signalbox/contract/app/connections.ts'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { ChoiceField } from '../ui/choice.tsx'
import { useDraft } from '../ui/draft.ts'
import { SaveForm } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'

type Bound = TeamBindings['repositories'][number]
type Inside = Bound['inside']

const names: Record<Inside, string> = {
  tools: 'The runner’s own tools',
  image: 'A container image',
  devcontainer: 'The image in the repository’s devcontainer.json',
}

const hints: Record<Inside, string> = {
  tools: 'Agents and gates use what’s installed on the runner’s machine.',
  image:
    'Agents and gates run in this image, inside the same box. Only Linux runners with podman take the work.',
  devcontainer:
    'Read from .devcontainer/devcontainer.json or .devcontainer.json on the branch. It has to name an image: runners don’t build one or add features.',
}

/** What agents and gates find around them, for each repository of the team. */
export function InsideSection({ team }: { team: string }) {
  const { data } = useRead('teams.bindings', { team })
  if (!data || data.repositories.length === 0) return null
  return (
    <Section title="Work environment" hint="The tools that agents and gates find when they work.">
      <div className="flex flex-col gap-6">
        {data.repositories.map((repository) => (
          <InsideForm key={repository.name} team={team} saved={repository} />
        ))}
      </div>
    </Section>
  )
}

function InsideForm({ team, saved }: { team: string; saved: Bound }) {
  const forbidden = useForbidden('change team settings')
  const draft = useDraft({ inside: saved.inside, image: saved.image ?? '' })
  const { inside, image } = draft.value
  const write = useAction('teams.setInside', { said: 'Work environment saved', next: draft.discard })
  return (
    <SaveForm
      of={write}
      isChanged={draft.changed.includes('inside') || (inside === 'image' && draft.changed.includes('image'))}
      forbidden={forbidden}
      action="Save work environment"
      onSave={() =>
        write.send({ team, repository: saved.name, inside, image: inside === 'image' ? image : null })
      }
    >
      <ChoiceField
        label={`Work on ${saved.name} runs in`}
        hint={hints[inside]}
        of={names}
        disabled={forbidden !== false}
        value={inside}
        onChange={(value) => draft.set({ inside: value as Inside })}
      />
      {inside === 'image' && (
        <TextField
          label="Image"
          hint="Such as ghcr.io/acme/ci@sha256:…. A digest always means the same image; a tag can change during a run."
          required
          disabled={forbidden !== false}
          {...draft.field('image')}
        />
      )}
    </SaveForm>
  )
}
