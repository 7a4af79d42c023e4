import { useNavigate, useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useRead, useWorkspace } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Input } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { executors, failures, statuses } from '../words/runs.tsx'

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
  const isFiltered = Object.keys(search).length > 0
  return (
    <div className="mb-4 grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
      <Choice
        label="Team"
        className="sm:w-44!"
        value={search.team ?? ''}
        onChange={(team) => filter({ team })}
        none="All teams"
        of={teams?.map(({ slug, name }) => [slug, name])}
      />
      <Choice
        label="Status"
        className="sm:w-44!"
        value={search.status ?? ''}
        onChange={(status) => filter({ status })}
        none="Every status"
        of={namesOf(statuses)}
      />
      <Choice
        label="Failure class"
        className="sm:w-44!"
        value={search.failure ?? ''}
        onChange={(failure) => filter({ failure })}
        none="Every failure"
        of={namesOf(failures)}
      />
      <Choice
        label="Executor"
        className="sm:w-44!"
        value={search.executor ?? ''}
        onChange={(executor) => filter({ executor })}
        none="Every executor"
        of={executors}
      />
      <StoryField value={search.story ?? ''} onChange={(story) => filter({ story })} />
      {isFiltered && (
        <Button
          look="quiet"
          icon={<X size={14} aria-hidden="true" />}
          onClick={() => navigate({ to: '/$ws/runs', params: { ws }, search: {} })}
        >
          Clear filters
        </Button>
      )}
    </div>
  )
}

const namesOf = (table: Record<string, { word: string }>) =>
  Object.fromEntries(Object.entries(table).map(([value, { word }]) => [value, word]))

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
        placeholder="Story, such as WEB-12"
        className="sm:w-44!"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={take}
      />
    </Form>
  )
}
