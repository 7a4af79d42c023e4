import type { AuditFilter } from '@signalbox/contract/audit.ts'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { useRead } from '../api/queries.ts'
import { Input } from '../ui/field.tsx'
import { FilterBy, Filters, useSetFilter } from '../ui/filters.tsx'
import { useTeamName } from '../ui/team-name.tsx'
import { spoken } from './entry-details.ts'
import { events } from './sentences.ts'
import { actors } from './words.ts'

/** The filters of the address, as the server takes them: the same as those of the REST API. */
export function useAuditFilter(): AuditFilter {
  const { team, actor, event, run, from, to } = useSearch({ from: '/$ws/audit' })
  const given = Object.entries({ team, actor, event, run, from, to }).filter(([, value]) => value)
  return Object.fromEntries(given) as AuditFilter
}

export function AuditFilters() {
  const [filter, set] = [useAuditFilter(), useSetFilter()]
  const teams = useRead('teams.list', {})
  const teamName = useTeamName()
  const slugs = teams.data?.map(({ slug }) => slug) ?? []
  // A team that was deleted is in the log all the same.
  const known = filter.team && !slugs.includes(filter.team) ? [filter.team, ...slugs] : slugs
  return (
    <Filters of="audit entries" value={{ ...filter }} set={set}>
      <FilterBy name="team" of={known.map((slug) => [slug, teamName(slug)])} />
      <FilterBy name="actor" of={Object.entries(actors).map(([type, { word }]) => [type, word])} />
      <FilterBy name="event" of={events.map((event) => [event, spoken(event)])} />
      <RunFilter value={filter.run ?? ''} onChange={(run) => set({ run })} />
      <span className="contents sm:flex sm:gap-2">
        <Day label="From (UTC)" value={filter.from} onChange={(from) => set({ from })} />
        <Day label="To (UTC)" value={filter.to} onChange={(to) => set({ to })} />
      </span>
    </Filters>
  )
}

const runKey = /^run-[a-z0-9]{4}(?:[a-z0-9]{2})?$/

function RunFilter({ value, onChange }: { value: string; onChange: (run: string | undefined) => void }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const type = (next: string) => {
    setText(next)
    // A key that is half typed matches nothing.
    if (next.trim() === '') onChange(undefined)
    else if (runKey.test(next.trim())) onChange(next.trim())
  }
  return (
    <Input
      aria-label="Run, such as run-7k2q"
      value={text}
      placeholder="Any run"
      spellCheck={false}
      autoComplete="off"
      onChange={({ target }) => type(target.value)}
    />
  )
}

interface DayProps {
  label: string
  value: string | undefined
  onChange: (day: string | undefined) => void
}

function Day({ label, value = '', onChange }: DayProps) {
  const id = useId()
  // An address may carry a moment, which a date field cannot show.
  const isDay = value === '' || (/^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)))
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-sm text-muted max-sm:flex-col max-sm:items-stretch">
      <label htmlFor={id} className="shrink-0">
        {label}
      </label>
      <Input
        id={id}
        type={isDay ? 'date' : 'text'}
        value={value}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
    </span>
  )
}
