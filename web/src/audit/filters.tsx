import type { AuditFilter } from '@signalbox/contract/audit.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { useRead } from '../api/queries.ts'
import { useTeamName } from '../teams/team-name.tsx'
import { Choice } from '../ui/choice.tsx'
import { Input } from '../ui/field.tsx'
import { Filters } from '../ui/filters.tsx'
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
  const filter = useAuditFilter()
  const navigate = useNavigate({ from: '/$ws/audit' })
  const teams = useRead('teams.list', {})
  const teamName = useTeamName()
  const set = (changed: { [Name in keyof AuditFilter]?: string | undefined }) =>
    void navigate({ replace: true, search: (before) => ({ ...before, ...changed }) as never })
  const slugs = teams.data?.map(({ slug }) => slug) ?? []
  // A team that was deleted is in the log all the same.
  const known = filter.team && !slugs.includes(filter.team) ? [filter.team, ...slugs] : slugs
  return (
    <Filters
      of="audit entries"
      isSet={Object.keys(filter).length > 0}
      onClear={() => void navigate({ replace: true, search: {} })}
    >
      <Choice
        label="Team"
        value={filter.team ?? ''}
        onChange={(team) => set({ team: team || undefined })}
        none="Any team"
        of={known.map((slug) => [slug, teamName(slug)])}
      />
      <Choice
        label="Actor"
        value={filter.actor ?? ''}
        onChange={(actor) => set({ actor: actor || undefined })}
        none="Any actor"
        of={Object.entries(actors).map(([type, { word }]) => [type, word])}
      />
      <Choice
        label="Event"
        value={filter.event ?? ''}
        onChange={(event) => set({ event: event || undefined })}
        none="Any event"
        of={events.map((event) => [event, spoken(event)])}
      />
      <RunFilter value={filter.run ?? ''} onChange={(run) => set({ run })} />
      <Day label="From (UTC)" value={filter.from} onChange={(from) => set({ from })} />
      <Day label="To (UTC)" value={filter.to} onChange={(to) => set({ to })} />
    </Filters>
  )
}

const runKey = /^run-[a-z0-9]{4}$/

function RunFilter({ value, onChange }: { value: string; onChange: (run: string | undefined) => void }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const type = (next: string) => {
    setText(next)
    // A key that is half typed is nobody's.
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

function Day({
  label,
  value = '',
  onChange,
}: {
  label: string
  value: string | undefined
  onChange: (day: string | undefined) => void
}) {
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
