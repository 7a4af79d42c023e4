import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useRead, useWorkspace } from '../api/queries.ts'
import { Choice } from '../ui/choice.tsx'
import { Input } from '../ui/field.tsx'
import { Filters } from '../ui/filters.tsx'
import { Form } from '../ui/form.tsx'
import { executors } from '../words/executors.ts'
import { failures } from '../words/failures.ts'
import { statuses } from '../words/runs.tsx'
import { spoken } from '../words/stories.ts'

export const storyKey = /^[A-Z][A-Z0-9]{0,9}-[1-9][0-9]{0,8}$/

/** Which runs are listed, all of it in the address. */
export function RunFilters() {
  const [ws, navigate] = [useWorkspace(), useNavigate()]
  const search = useSearch({ from: '/$ws/runs' })
  const teams = useRead('teams.list', {}).data
  const filter = (changed: Partial<typeof search>) => {
    const next = Object.entries({ ...search, ...changed }).filter(([, value]) => value)
    void navigate({ to: '/$ws/runs', params: { ws }, search: Object.fromEntries(next) })
  }
  return (
    <Filters
      of="runs"
      isSet={Object.keys(search).length > 0}
      onClear={() => void navigate({ to: '/$ws/runs', params: { ws }, search: {} })}
    >
      <Choice
        label="Team"
        value={search.team ?? ''}
        onChange={(team) => filter({ team })}
        none="Any team"
        of={teams?.map(({ slug, name }) => [slug, name])}
      />
      <Choice
        label="Status"
        value={search.status ?? ''}
        onChange={(status) => filter({ status })}
        none="Any status"
        of={namesOf(statuses)}
      />
      <Choice
        label="Failure"
        value={search.failure ?? ''}
        onChange={(failure) => filter({ failure })}
        none="Any failure"
        of={namesOf(failures)}
      />
      <Choice
        label="Coding agent"
        value={search.executor ?? ''}
        onChange={(executor) => filter({ executor })}
        none="Any agent"
        of={executors}
      />
      <StoryField value={search.story ?? ''} onChange={(story) => filter({ story })} />
    </Filters>
  )
}

const namesOf = (table: Record<string, { word: string }>) =>
  Object.fromEntries(Object.entries(table).map(([value, { word }]) => [value, spoken(word)]))

/** Taken over when it is a whole key, or empty: half a key would find nothing. */
function StoryField({ value, onChange }: { value: string; onChange: (story: string) => void }) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const take = () => {
    const key = typed.trim().toUpperCase()
    if (key === value) setTyped(value)
    else if (key === '' || storyKey.test(key)) onChange(key)
  }
  const isWrong = typed.trim() !== '' && !storyKey.test(typed.trim().toUpperCase())
  return (
    <Form className="contents" onSend={take}>
      <Input
        aria-label="Story, such as WEB-12"
        aria-invalid={isWrong}
        placeholder="Any story"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={take}
      />
    </Form>
  )
}
