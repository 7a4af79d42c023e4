import type { AuditEntry } from '@signalbox/contract/audit.ts'

const columns = {
  id: (e: AuditEntry) => e.id,
  timestamp: (e: AuditEntry) => e.timestamp,
  actor_type: (e: AuditEntry) => e.actor.type,
  actor_name: (e: AuditEntry) => e.actor.name,
  actor_user_id: (e: AuditEntry) => e.actor.userId,
  team: (e: AuditEntry) => e.team,
  run_key: (e: AuditEntry) => e.runKey,
  event: (e: AuditEntry) => e.event,
  result: (e: AuditEntry) => e.result,
  entity_type: (e: AuditEntry) => e.entity.type,
  entity_id: (e: AuditEntry) => e.entity.id,
  entity_name: (e: AuditEntry) => e.entity.name,
  details: (e: AuditEntry) => JSON.stringify(e.details),
}
const names = Object.keys(columns)

export const csvHeader = `${names.join(',')}\r\n`

export const csvLine = (entry: AuditEntry): string =>
  `${Object.values(columns)
    .map((column) => cell(column(entry)))
    .join(',')}\r\n`

/** RFC 4180: always quoted, quotes doubled; null is an empty cell without quotes. */
const cell = (value: string | null): string =>
  value === null ? '' : `"${defuse(value).replaceAll('"', '""')}"`

/**
 * A spreadsheet runs a cell that begins with one of these, also after spaces, and some do so for a later line of the
 * cell. Full-width forms count, because input methods turn them into the plain ones.
 */
const dangerous = /(?:^|[\r\n])[^\S\r\n]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/u

/** An apostrophe in front makes the cell text. Cells that would read like a defused one get it too, so it can be undone. */
export const defuse = (text: string): string => (dangerous.test(text.replace(/^'+/, '')) ? `'${text}` : text)

const armed = (text: string): string => (dangerous.test(text.replace(/^'+/, '')) ? text.slice(1) : text)

/** Reads a file that `csvLine` wrote: the entries exactly as they are in the log. */
export function parseCsv(text: string): AuditEntry[] {
  const [header, ...rows] = cells(text)
  if (header?.join(',') !== names.join(','))
    throw new Error('This is not an audit export: its first line is not the header.')
  return rows.map((row) => {
    const at = (name: keyof typeof columns): string | null => {
      const value = row[names.indexOf(name)] ?? null
      return value === null ? null : armed(value)
    }
    return {
      id: at('id') ?? '',
      timestamp: at('timestamp') ?? '',
      actor: { type: at('actor_type'), name: at('actor_name'), userId: at('actor_user_id') },
      team: at('team'),
      runKey: at('run_key'),
      event: at('event'),
      result: at('result'),
      entity: { type: at('entity_type'), id: at('entity_id'), name: at('entity_name') },
      details: JSON.parse(at('details') ?? 'null'),
    } as AuditEntry
  })
}

/** Rows of cells; an unquoted empty cell is null. */
function cells(text: string): (string | null)[][] {
  const rows: (string | null)[][] = []
  let row: (string | null)[] = []
  const token = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y
  while (token.lastIndex < text.length) {
    const at = token.lastIndex
    const match = token.exec(text)
    if (!match) throw new Error(`The CSV cannot be read at character ${at}.`)
    const [, quoted, plain, end] = match
    row.push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain || null)
    if (end !== ',') {
      rows.push(row)
      row = []
    }
  }
  return rows
}
