import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import { EntityLink } from './entity-link.tsx'
import { actors, momentOf, results, spoken } from './words.ts'

const titles = ['Time', 'Actor', 'Event', 'Result', 'Team', 'Run', 'Entity']

/** Entries, each of which opens to its details. On a phone each is a card. */
export function EntryTable({ entries }: { entries: AuditEntry[] }) {
  return (
    <div className="md:overflow-x-auto md:rounded-lg md:border md:bg-surface">
      <table className="w-full border-collapse text-left text-[13px] max-md:block">
        <caption className="sr-only">Audit entries, newest first</caption>
        <thead className="max-md:sr-only">
          <tr className="border-b">
            <th scope="col" className="w-8">
              <span className="sr-only">Details</span>
            </th>
            {titles.map((title) => (
              <th
                key={title}
                scope="col"
                className="h-9 px-2 text-xs font-medium whitespace-nowrap text-muted"
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:flex max-md:flex-col max-md:gap-2">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const [open, setOpen] = useState(false)
  const { icon: ActorIcon, word: actorWord } = actors[entry.actor.type]
  const result = results[entry.result]
  const detailsId = `details-${entry.id}`
  return (
    <>
      <tr className="max-md:relative max-md:block max-md:rounded-lg max-md:border max-md:bg-surface max-md:p-3 md:border-b md:last:border-b-0 md:hover:bg-hover">
        <td className="align-middle max-md:absolute max-md:top-2 max-md:left-2 md:pl-1.5">
          <button
            type="button"
            aria-expanded={open}
            aria-controls={detailsId}
            aria-label={`Details of ${spoken(entry.event)}, ${momentOf(entry.timestamp)}`}
            onClick={() => setOpen(!open)}
            className="flex size-7 items-center justify-center rounded hover:bg-line"
          >
            <ChevronRight size={14} aria-hidden="true" className={open ? 'rotate-90' : ''} />
          </button>
        </td>
        <Cell title="Time" className="max-md:pl-7!">
          <Tooltip text={entry.timestamp}>
            <time dateTime={entry.timestamp} className="whitespace-nowrap tabular-nums">
              {momentOf(entry.timestamp)}
            </time>
          </Tooltip>
        </Cell>
        <Cell title="Actor">
          <span className="inline-flex max-w-full min-w-0 items-center align-middle gap-1.5 md:max-w-44">
            <ActorIcon size={14} aria-label={actorWord} role="img" className="shrink-0 text-muted" />
            <span className="truncate" title={entry.actor.name}>
              {entry.actor.name}
            </span>
          </span>
        </Cell>
        <Cell title="Event">{spoken(entry.event)}</Cell>
        <Cell title="Result">
          <Badge tone={result.tone} icon={result.icon}>
            {result.word}
          </Badge>
        </Cell>
        <Cell title="Team">{entry.team ?? <None />}</Cell>
        <Cell title="Run">{entry.runKey ? <RunLink run={entry.runKey} /> : <None />}</Cell>
        <Cell title="Entity" className="md:w-full md:max-w-0 md:min-w-48 md:whitespace-normal!">
          <EntityLink entity={entry.entity} />
        </Cell>
      </tr>
      {open && (
        <tr id={detailsId} className="max-md:block md:border-b">
          <td colSpan={titles.length + 1} className="max-md:block md:px-3 md:pb-3">
            <Details entry={entry} />
          </td>
        </tr>
      )}
    </>
  )
}

const Cell = ({
  title,
  children,
  className = '',
}: {
  title: string
  children: ReactNode
  className?: string
}) => (
  <td
    className={`px-2 py-1 align-middle md:whitespace-nowrap max-md:flex max-md:min-h-7 max-md:items-center max-md:justify-between max-md:gap-3 max-md:px-0 max-md:py-0.5 ${className}`}
  >
    <span aria-hidden="true" className="shrink-0 text-xs text-muted md:hidden">
      {title}
    </span>
    <div className="min-w-0 max-md:text-right">{children}</div>
  </td>
)

const None = () => <span className="text-muted">–</span>

function RunLink({ run }: { run: string }) {
  const ws = useWorkspace()
  return (
    <Link
      to="/$ws/runs/$key"
      params={{ ws, key: run }}
      className="inline-flex min-h-6 items-center font-mono text-xs hover:underline"
    >
      {run}
    </Link>
  )
}

/** The whole entry as it is in the log. It is text from anywhere, so it stands there as text. */
function Details({ entry }: { entry: AuditEntry }) {
  const json = JSON.stringify(entry.details, null, 2)
  return (
    <div className="rounded-md border bg-bg">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b px-3 py-1">
        <span className="font-mono text-xs text-muted [overflow-wrap:anywhere]">{entry.id}</span>
        <span className="flex flex-wrap gap-1">
          <CopyButton withWords text={json} label="Copy details" />
          <CopyButton withWords text={JSON.stringify(entry, null, 2)} label="Copy entry" />
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label="Details" className="max-h-96 overflow-auto p-3">
        <pre className="font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">{json}</pre>
      </section>
    </div>
  )
}
