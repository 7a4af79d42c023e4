import type { Asked } from '@signalbox/contract/command-line.ts'
import type { IncidentListed } from '@signalbox/contract/incident.ts'
import { currentAccount } from '../accounts.ts'
import { type App, appClientOf } from '../app.ts'
import { CommandError } from '../command-error.ts'
import type { incidentsLine } from '../command-lines.ts'
import { kindOfKey } from '../kind-of-key.ts'
import { ago } from '../terminal/ago.ts'
import { colour, statusColour } from '../terminal/colour.ts'
import { note, print, printJson } from '../terminal/print.ts'
import { table } from '../terminal/table.ts'

export async function run({ values, positionals }: Asked<typeof incidentsLine>): Promise<void> {
  const [verb, key] = positionals
  if (verb === 'ack' && kindOfKey(key!) !== 'incident')
    throw new CommandError(`${key} is not an incident. Incidents look like inc-4m8t.`, 'usage')
  const app = appClientOf(await currentAccount())
  if (verb === 'ack') return acknowledge(app, key!, values.json ?? false)
  const incidents = await listed(app, values.all ?? false)
  if (values.json) return printJson(incidents)
  if (incidents.length === 0) return note('No open incidents.')
  const headings = ['INCIDENT', 'STATUS', 'SEVERITY', 'SERVICE', 'ACKNOWLEDGED', 'OPENED', 'TITLE']
  print(table(headings, incidents.map(rowOf)))
}

async function acknowledge(app: App, incident: string, json: boolean): Promise<void> {
  await app.write('incidents.acknowledge', { incident })
  if (json) return printJson({ acknowledged: incident })
  print(`${colour('green', incident)} acknowledged`)
}

async function listed(app: App, all: boolean): Promise<IncidentListed[]> {
  const found: IncidentListed[] = []
  let cursor: string | null = null
  do {
    const page: { data: IncidentListed[]; nextCursor: string | null } = await app.read('incidents.list', {
      ...{ limit: 100, ...(all ? {} : { status: 'open' as const }) },
      ...(cursor === null ? {} : { cursor }),
    })
    found.push(...page.data)
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
}

const rowOf = ({ key, status, severity, service, acknowledged, openedAt, title }: IncidentListed) => [
  key,
  painted(status),
  painted(severity),
  ...[service.name, acknowledged?.by ?? '', ago(openedAt), title],
]

const painted = (text: string) => ({ text, paint: (cell: string) => colour(statusColour(text), cell) })
