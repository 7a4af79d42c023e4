import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { SenderKind } from '@signalbox/contract/signal.ts'
import { senders } from '../../domain/on-call/senders/index.ts'
import type { ReadAlert, Reading } from '../../domain/on-call/senders/reading/reading.ts'

/** Bodies as the senders write them, in each one's folder; all that is in them is invented. */
const folderOf = (kind: SenderKind) =>
  path.join(
    import.meta.dirname,
    '..',
    '..',
    'domain',
    'on-call',
    'senders',
    kind.replaceAll('_', '-'),
    'fixtures',
  )

export const fixtureNames = (kind: SenderKind): string[] =>
  readdirSync(folderOf(kind)).map((file) => path.basename(file, '.json'))

export const bodyOf = (kind: SenderKind, name: string): Buffer =>
  readFileSync(path.join(folderOf(kind), `${name}.json`))

/** What the intake makes of a body. */
export function deliver(kind: SenderKind, body: unknown, headers: Record<string, string> = {}): Reading {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return senders[kind].format({ body: bytes, headers, query: {} })
}

// biome-ignore lint/suspicious/noExplicitAny: a test changes what it likes
type Change = (body: any) => void

export function deliverFixture(kind: SenderKind, name: string, change?: Change): Reading {
  if (!change) return deliver(kind, bodyOf(kind, name))
  const body = JSON.parse(bodyOf(kind, name).toString())
  change(body)
  return deliver(kind, body)
}

/** Its only alert. */
export function alertIn({ alerts, problem }: Reading): ReadAlert {
  if (alerts.length !== 1) throw new Error(`${alerts.length} alerts instead of one. ${problem ?? ''}`)
  return alerts[0]!
}
