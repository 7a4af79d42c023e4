import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { ChevronRight } from 'lucide-react'
import { type MouseEvent, memo, type ReactNode, useState } from 'react'
import { usePrinting } from '../browser/printing.ts'
import { Badge } from '../ui/badge.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { TeamName } from '../ui/team-name.tsx'
import { EntityLink, labelOf, titleOf } from './entity-link.tsx'
import { spoken } from './entry-details.ts'
import { EntryDetails } from './entry-details.tsx'
import { sentenceOf } from './sentences.ts'
import { momentOf, subject } from './wording.ts'
import { actors, channelOf, results } from './words.ts'

const columns = [
  { title: 'Time (UTC)', width: 'w-43' },
  { title: 'Actor', width: 'w-44' },
  { title: 'What happened', width: '' },
  { title: 'Team and run', width: 'w-34' },
  { title: 'Result', width: 'w-24' },
]

/**
 * Entries, each of which opens to its details. On a phone each is a card. Updates of the rest of the screen do not draw
 * them again.
 */
export const EntryTable = memo(function EntryTable({ entries }: { entries: AuditEntry[] }) {
  const isPrinting = usePrinting()
  return (
    <div className="md:overflow-x-auto md:rounded-lg md:border md:bg-surface">
      <table className="w-full border-collapse text-left text-sm max-md:block md:min-w-220 md:table-fixed">
        <caption className="sr-only">Audit entries, newest first</caption>
        <thead className="max-md:sr-only">
          <tr className="border-b">
            <th scope="col" className="w-9">
              <span className="sr-only">Details</span>
            </th>
            {columns.map(({ title, width }) => (
              <th key={title} scope="col" className={`h-9 px-2 text-xs font-medium text-muted ${width}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:flex max-md:flex-col max-md:gap-2">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} isPrinting={isPrinting} />
          ))}
        </tbody>
      </table>
    </div>
  )
})

interface EntryProps {
  entry: AuditEntry
  isPrinting: boolean
}

const Entry = memo(function Entry({ entry, isPrinting }: EntryProps) {
  const [isOpen, setOpen] = useState(false)
  const open = isOpen || isPrinting
  const { actor, entity } = entry
  const { icon: ActorIcon, word: actorWord } = actors[actor.type]
  const sentence = sentenceOf(entry)
  const title = titleOf(entity)
  const detailsId = `details-${entry.id}`
  return (
    <>
      <tr
        onClick={(event) => !isMeantOtherwise(event) && setOpen(!open)}
        className="cursor-pointer align-top max-md:relative max-md:flex max-md:flex-col max-md:rounded-lg max-md:border max-md:bg-surface max-md:p-3 md:border-b md:last:border-b-0 md:hover:bg-hover"
      >
        <td className="py-1 max-md:absolute max-md:top-1.5 max-md:left-1.5 md:pl-1.5">
          <button
            type="button"
            aria-expanded={open}
            aria-controls={open ? detailsId : undefined}
            aria-label={`Details: ${sentence.replace(subject, labelOf(entity))}, ${momentOf(entry.timestamp)}`}
            onClick={() => setOpen(!open)}
            className="relative flex size-7 items-center justify-center rounded hover:bg-line pointer-coarse:before:absolute pointer-coarse:before:-inset-[10px]"
          >
            <ChevronRight size={14} aria-hidden="true" className={open ? 'rotate-90' : ''} />
          </button>
        </td>
        <Cell title="Time (UTC)">
          <time dateTime={entry.timestamp} className="whitespace-nowrap tabular-nums">
            {momentOf(entry.timestamp)}
          </time>
        </Cell>
        <Cell title="Actor">
          <div className="truncate" title={actor.name}>
            <ActorIcon
              size={14}
              aria-label={actorWord}
              role="img"
              className="mr-1.5 inline-block align-[-2px] text-muted"
            />
            {actor.name}
          </div>
          <div className="truncate text-xs text-muted">{channelOf(entry.details)}</div>
        </Cell>
        <td className="px-2 py-1.5 max-md:order-first max-md:mb-1 max-md:px-0 max-md:pt-0 max-md:pl-6">
          <div className="line-clamp-2 [overflow-wrap:anywhere]">
            <Sentence text={sentence} entity={<EntityLink entity={entity} />} />
          </div>
          <div className="truncate text-xs text-muted" title={title ?? undefined}>
            {spoken(entry.event)}
            {title && ` · ${title}`}
          </div>
        </td>
        <Cell title="Team and run" empty={!entry.team && !entry.runKey}>
          {entry.team && (
            <div className="truncate">
              <TeamName of={entry.team} />
            </div>
          )}
          {entry.runKey && (
            <KeyLink to="run" of={entry.runKey} className="font-mono text-xs hover:underline" />
          )}
        </Cell>
        <Cell title="Result">
          <Result result={entry.result} />
        </Cell>
      </tr>
      {open && (
        <tr id={detailsId} className="max-md:block md:border-b">
          <td colSpan={columns.length + 1} className="max-md:block md:px-3 md:pb-3">
            <EntryDetails entry={entry} />
          </td>
        </tr>
      )}
    </>
  )
})

/** A link or a button does its own thing, and selecting text must not open the entry. */
const isMeantOtherwise = ({ target }: MouseEvent): boolean =>
  (target as Element).closest('a, button') !== null || getSelection()?.isCollapsed === false

function Sentence({ text, entity }: { text: string; entity: ReactNode }) {
  const [before, after] = text.split(subject)
  return after === undefined ? (
    text
  ) : (
    <>
      {before}
      {entity}
      {after}
    </>
  )
}

/** What went as it should is quiet, so that the rest is seen. */
const Result = ({ result }: { result: AuditEntry['result'] }) =>
  result === 'success' ? (
    <span className="text-muted">{results.success.word}</span>
  ) : (
    <Badge {...results[result]} />
  )

const Cell = ({ title, empty, children }: { title: string; empty?: boolean; children: ReactNode }) => (
  <td
    className={`px-2 py-1.5 max-md:flex max-md:min-h-7 max-md:items-center max-md:justify-between max-md:gap-3 max-md:px-0 max-md:py-0.5 ${empty ? 'max-md:hidden' : ''}`}
  >
    <span aria-hidden="true" className="shrink-0 text-xs text-muted md:hidden">
      {title}
    </span>
    <div className="min-w-0 max-md:text-right">{children}</div>
  </td>
)
