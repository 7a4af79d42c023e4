import type { StoryPage } from '@signalbox/contract/app/stories.ts'
import { useForbidden } from '../api/me.ts'
import { useAction } from '../ui/action.ts'
import { useDraft } from '../ui/draft.ts'
import { SaveForm } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { Ticks } from '../ui/ticks.tsx'

/** Which of the team's repositories a run works in. With one there is nothing to choose. */
export function StoryRepositories({ story }: { story: StoryPage }) {
  const { key, repositories, teamRepositories: all } = story
  const forbidden = useForbidden('edit stories', 'member')
  const draft = useDraft({ chosen: all.filter((name) => repositories?.includes(name) ?? true) })
  const { chosen } = draft.value
  const write = useAction('stories.setRepositories', { said: 'Repositories saved', next: draft.discard })
  if (all.length < 2) return null
  return (
    <Section title="Repositories" hint="The next run works in these and merges its changes together.">
      <SaveForm
        of={write}
        isChanged={draft.changed.length > 0}
        forbidden={forbidden || (chosen.length === 0 && 'Choose at least one repository')}
        action="Save repositories"
        onSave={() => write.send({ key, repositories: chosen.length === all.length ? null : chosen })}
      >
        <fieldset>
          <legend className="sr-only">Repositories</legend>
          <Ticks
            all={all.map((name) => ({ id: name, name }))}
            chosen={chosen}
            onChange={(next) => draft.set({ chosen: all.filter((name) => next.includes(name)) })}
            disabled={forbidden !== false}
          />
        </fieldset>
      </SaveForm>
    </Section>
  )
}
