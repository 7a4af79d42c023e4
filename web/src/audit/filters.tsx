import type { AuditFilter } from '@signalbox/contract/audit.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useRead } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { TextField } from '../ui/text-field.tsx'
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
  const set = (changed: { [Name in keyof AuditFilter]?: string | undefined }) =>
    void navigate({ replace: true, search: (before) => ({ ...before, ...changed }) as never })
  const slugs = teams.data?.map(({ slug }) => slug) ?? []
  // A team that was deleted is in the log all the same.
  const known = filter.team && !slugs.includes(filter.team) ? [filter.team, ...slugs] : slugs
  return (
    <search
      aria-label="Audit entries"
      className="mb-4 grid grid-cols-2 items-end gap-3 sm:grid-cols-3 lg:grid-cols-[repeat(6,minmax(0,1fr))_auto]"
    >
      <ChoiceField
        label="Team"
        value={filter.team ?? ''}
        onChange={(team) => set({ team: team || undefined })}
        none="All"
        of={known.map((slug) => [slug, slug])}
      />
      <ChoiceField
        label="Actor"
        value={filter.actor ?? ''}
        onChange={(actor) => set({ actor: actor || undefined })}
        none="All"
        of={Object.entries(actors).map(([type, { word }]) => [type, word])}
      />
      <ChoiceField
        label="Event"
        value={filter.event ?? ''}
        onChange={(event) => set({ event: event || undefined })}
        none="All"
        of={events.map((event) => [event, spoken(event)])}
      />
      <RunFilter value={filter.run ?? ''} onChange={(run) => set({ run })} />
      <Day label="From (UTC)" value={filter.from} onChange={(from) => set({ from })} />
      <Day label="To (UTC)" value={filter.to} onChange={(to) => set({ to })} />
      <Button
        look="quiet"
        icon={<X size={14} aria-hidden="true" />}
        forbidden={Object.keys(filter).length === 0 && 'No filter is set'}
        onClick={() => void navigate({ replace: true, search: {} })}
      >
        Reset
      </Button>
    </search>
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
    <TextField
      label="Run"
      value={text}
      placeholder="run-7k2q"
      spellCheck={false}
      autoComplete="off"
      onChange={type}
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
  // An address may carry a moment, which a date field cannot show.
  const isDay = value === '' || (/^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)))
  return (
    <TextField
      label={label}
      type={isDay ? 'date' : 'text'}
      value={value}
      onChange={(day) => onChange(day || undefined)}
    />
  )
}
