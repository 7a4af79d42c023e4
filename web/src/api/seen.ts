import type { Reads } from '@signalbox/contract/app/index.ts'
import { mayHide, visible } from '@signalbox/contract/visible.ts'

/** Here texts are edited, or sent back as names: they stay as they are, and the screen writes out what it shows. */
const asWritten: ReadonlySet<keyof Reads> = new Set<keyof Reads>([
  'policies.read',
  'runs.diff',
  'services.read',
  'sources.read',
  'stories.read',
  'teams.read',
  'webhooks.read',
  'workspaces.read',
])

/** What a read has brought, with whatever cannot be seen in it written out: titles and names come from anywhere. */
export function seen(name: keyof Reads, json: string): unknown {
  if (asWritten.has(name) || !mayHide(json)) return JSON.parse(json)
  return JSON.parse(json, (_, value) => (typeof value === 'string' ? visible(value) : value))
}
