import { useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useRead } from '../api/queries.ts'
import { Input } from '../ui/field.tsx'
import { FilterBy, Filters, useSetFilter } from '../ui/filters.tsx'
import { Form } from '../ui/form.tsx'
import { executors } from '../words/executors.ts'
import { failures } from '../words/failures.ts'
import { statuses } from '../words/runs.tsx'
import { spoken } from '../words/stories.ts'

export const storyKey = /^[A-Z][A-Z0-9]{0,9}-[1-9][0-9]{0,8}$/

/** Which runs are listed, all of it in the address. */
export function RunFilters() {
  const [search, set] = [useSearch({ from: '/$ws/runs' }), useSetFilter()]
  const teams = useRead('teams.list', {}).data
  return (
    <Filters of="runs" value={search} set={set}>
      <FilterBy name="team" of={teams?.map(({ slug, name }) => [slug, name])} />
      <FilterBy name="status" of={namesOf(statuses)} />
      <FilterBy name="failure" of={namesOf(failures)} />
      <FilterBy name="executor" label="Coding agent" none="Any agent" of={executors} />
      <StoryField value={search.story ?? ''} onChange={(story) => set({ story: story || undefined })} />
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
    <Form isKept className="contents" onSend={take}>
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
