import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { exactTime, isNotUtc } from '../browser/formats.ts'
import { CopyButton } from '../ui/copy.tsx'
import { EntityLink, titleOf } from './entity-link.tsx'
import { spoken } from './entry-details.ts'
import { type Change, fieldInWords, inWords, momentOf, nameInWords } from './wording.ts'
import { actors, channelOf } from './words.ts'

/** The whole entry: who, when, through what and with which effect. It is text from anywhere, so it stands as text. */
export function EntryDetails({ entry }: { entry: AuditEntry }) {
  const { channel: _, origin: __, changes, ...rest } = entry.details
  return (
    <div className="rounded-md border bg-bg text-sm">
      <dl className="grid gap-x-6 gap-y-2 p-3 lg:grid-cols-2">
        <Facts entry={entry} />
        {Object.entries(rest)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <Fact key={name} name={spoken(nameInWords(name))}>
              <Value name={name} value={value} />
            </Fact>
          ))}
      </dl>
      {Array.isArray(changes) && changes.length > 0 && <Changes changes={changes as Change[]} />}
      <Raw entry={entry} />
    </div>
  )
}

/** What every entry has. */
function Facts({ entry }: { entry: AuditEntry }) {
  const { actor, entity, event, timestamp } = entry
  const origin = (entry.details.origin ?? {}) as {
    requestId?: string
    tokenPrefix?: string
    address?: string
    role?: Role
  }
  return (
    <>
      <Fact name="Who">
        {actor.name}{' '}
        <span className="text-muted">({(origin.role ?? actors[actor.type].word).toLowerCase()})</span>
        {actor.userId && <Machine text={actor.userId} label="Copy user ID" />}
      </Fact>
      <Fact name="When">
        {momentOf(timestamp)}
        {timestamp.slice(19, 23)} UTC <LocalTime at={timestamp} />
      </Fact>
      <Fact name="Channel">
        {channelOf(entry.details) || 'Not recorded'}
        {origin.tokenPrefix && (
          <>
            {' '}
            with token <code className="font-mono text-xs">{origin.tokenPrefix}…</code>
          </>
        )}
      </Fact>
      <Fact name="Event">
        <Link
          from="/$ws/audit"
          to="."
          search={(before) => ({ ...before, event }) as never}
          className="text-accent hover:underline"
        >
          {spoken(event)}
        </Link>{' '}
        <code className="font-mono text-xs text-muted">{event}</code>
      </Fact>
      <Fact name="About">
        <span className="text-muted">{nameInWords(entity.type)}</span> <EntityLink entity={entity} />{' '}
        {titleOf(entity)}
      </Fact>
      {origin.address && (
        <Fact name="IP address">
          <Machine text={origin.address} label="Copy IP address" />
        </Fact>
      )}
      {origin.requestId && (
        <Fact name="Request">
          <Machine text={origin.requestId} label="Copy request ID" />
        </Fact>
      )}
    </>
  )
}

/** The same moment in the reader's time zone; nothing if that is UTC. */
function LocalTime({ at }: { at: string }) {
  return isNotUtc(at) && <span className="text-muted">({exactTime(at)})</span>
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex min-w-0 gap-3">
    <dt className="w-24 shrink-0 text-xs leading-5 break-words text-muted">{name}</dt>
    <dd className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">{children}</dd>
  </div>
)

const Machine = ({ text, label }: { text: string; label: string }) => (
  <span className="flex items-center font-mono text-xs text-muted">
    {text}
    <CopyButton text={text} label={label} />
  </span>
)

/** Things of the workspace that details name by their key. */
const pages = { story: 'story', incident: 'incident', requirement: 'requirement' } as const

function Value({ name, value }: { name: string; value: unknown }) {
  const type = pages[name as keyof typeof pages]
  if (type && typeof value === 'string') return <EntityLink entity={{ type, id: value, name: null }} />
  return inWords(value, name)
}

function Changes({ changes }: { changes: Change[] }) {
  return (
    <div className="overflow-x-auto border-t px-3 py-2">
      <table className="w-full text-left text-sm">
        <caption className="sr-only">Changes</caption>
        <thead>
          <tr className="text-xs text-muted">
            {['Field', 'Before', 'After'].map((title) => (
              <th key={title} scope="col" className="w-1/3 py-1 pr-4 font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {changes.map(({ field, before, after }) => (
            <tr key={field} className="align-top">
              <th scope="row" className="py-1 pr-4 font-normal">
                {spoken(fieldInWords(field))}
              </th>
              <td className="py-1 pr-4 whitespace-pre-wrap text-muted [overflow-wrap:anywhere]">
                {inWords(before, field)}
              </td>
              <td className="py-1 whitespace-pre-wrap [overflow-wrap:anywhere]">{inWords(after, field)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** As the log has it, to compare it with an export. */
function Raw({ entry }: { entry: AuditEntry }) {
  const json = JSON.stringify(entry, null, 2)
  return (
    <details data-unprinted className="border-t px-3 py-1">
      <summary className="w-fit text-xs leading-6 text-muted hover:text-text">View as JSON</summary>
      <div className="mt-1 mb-2">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section tabIndex={0} aria-label="View as JSON" className="max-h-96 overflow-auto">
          <pre className="font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">{json}</pre>
        </section>
        <CopyButton withWords text={json} label="Copy entry" />
      </div>
    </details>
  )
}
