import type { TeamBindings } from '@signalbox/contract/app/connections.ts'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Form } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { say } from '../ui/toast.tsx'

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
      {data.repositories.map((repository) => (
        <InsideForm key={repository.name} team={team} saved={repository} />
      ))}
    </Section>
  )
}

function InsideForm({ team, saved }: { team: string; saved: Bound }) {
  const [write, may] = [useWrite('teams.setInside'), useMay('admin')]
  // Null: as the server has it.
  const [draft, setDraft] = useState<Pick<Bound, 'inside' | 'image'> | null>(null)
  const { inside, image } = draft ?? saved
  const isChanged =
    draft !== null && (inside !== saved.inside || (inside === 'image' && image !== saved.image))
  const save = () => {
    if (!may || !isChanged || write.isPending) return
    write.mutate(
      { team, repository: saved.name, inside, image: inside === 'image' ? (image ?? '') : null },
      {
        onSuccess: () => {
          say('Work environment saved')
          setDraft(null)
        },
      },
    )
  }
  return (
    <Form onSend={save}>
      <ChoiceField
        label={`Work on ${saved.name} runs in`}
        hint={hints[inside]}
        of={names}
        disabled={!may}
        value={inside}
        onChange={(value) => setDraft({ inside: value as Inside, image })}
      />
      {inside === 'image' && (
        <TextField
          label="Image"
          hint="Such as ghcr.io/acme/ci@sha256:…. A digest always means the same image; a tag can change during a run."
          required
          disabled={!may}
          value={image ?? ''}
          onChange={(value) => setDraft({ inside, image: value })}
        />
      )}
      <Refused error={write.error} />
      <div>
        <Button
          type="submit"
          look="primary"
          busy={write.isPending}
          forbidden={
            !may ? 'Only owners and admins can change team settings' : !isChanged && 'No changes to save'
          }
        >
          Save work environment
        </Button>
      </div>
    </Form>
  )
}
