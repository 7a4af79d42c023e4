import type { Holder } from '../../ports/connection.ts'
import type { Entry } from '../../record/audit/change.ts'
import { wordsFor } from './refusal-scope.ts'

/** A connection or a source as the log names it. */
export type Marked = Holder & { name: string }

/** As the ledger has it: the database sees to it that it is one of the two. */
export const markedOf = (row: {
  connectionId: string | null
  sourceId: string | null
  name: string
}): Marked => {
  const { connectionId, sourceId, name } = row
  return connectionId === null ? { sourceId: sourceId!, name } : { connectionId, name }
}

/** What the log says when a tool begins to refuse something, and when it takes it again. */
export function markedEntry(
  { connectionId, sourceId, name }: Marked,
  said: { change: 'refused'; scope: string; reason: string } | { change: 'mended'; scope: string },
): Entry {
  const details = { ...said, scope: wordsFor(said.scope) }
  const result = said.change === 'refused' ? ('failure' as const) : ('success' as const)
  return sourceId === undefined
    ? { result, event: 'connection_changed', entity: { type: 'connection', id: connectionId, name }, details }
    : {
        result,
        event: 'signal_source_changed',
        entity: { type: 'signal_source', id: sourceId, name },
        details,
      }
}
