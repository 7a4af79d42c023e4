import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { timeOfId } from '../../../infra/ids.ts'
import { entryHash } from './canonical.ts'
import type { LeafWithEntry } from './store.ts'

/** What is wrong with an entry, given the leaf that was sealed for it. */
export function checkEntry(workspaceId: string, leaf: LeafWithEntry): string[] {
  const name = `Entry ${named(leaf.entry_id)} at position ${leaf.position}`
  if (leaf.entry === null) return [`${name} was deleted: its seal is there, the entry is not.`]
  const moved =
    leaf.workspace_id === workspaceId ? [] : [`${name} was moved to workspace ${leaf.workspace_id}.`]
  const entry = parsed(leaf.entry)
  if (!entry) return [...moved, `${name} was changed after it was sealed: it can no longer be read.`]
  return [...moved, ...contentFindings(name, leaf, entry), ...columnFindings(name, leaf, entry)]
}

/** An id carries its time, so even an entry that is gone can be dated. */
export function named(entryId: string): string {
  return `${entryId} of ${timeOfId(entryId).toISOString()}`
}

function contentFindings(name: string, leaf: LeafWithEntry, entry: AuditEntry): string[] {
  if (!entryHash(entry).equals(leaf.hash))
    return [`${name} was changed after it was sealed: its content has another hash.`]
  // A key that is in the text twice disappears in parsing and would pass unseen.
  if (JSON.stringify(entry) !== leaf.entry)
    return [`${name} was rewritten after it was sealed: its content is the same, its text is not.`]
  return []
}

/** The columns decide which filters an entry answers to: one with a changed column is hidden, though its text is intact. */
function columnFindings(name: string, leaf: LeafWithEntry, entry: AuditEntry): string[] {
  const pairs: [string, unknown, unknown][] = [
    ['id', leaf.entry_id, entry.id],
    ['team', leaf.team, entry.team],
    ['actor type', leaf.actor_type, entry.actor?.type],
    ['event', leaf.event, entry.event],
    ['run', leaf.run_key, entry.runKey],
    ['time (from its id)', timeOfId(leaf.entry_id).toISOString(), entry.timestamp],
  ]
  return pairs
    .filter(([, column, content]) => column !== content)
    .map(
      ([what, column, content]) =>
        `${name} is filed under ${what} ${column}, but its content says ${content}.`,
    )
}

function parsed(text: string): AuditEntry | null {
  try {
    const entry = JSON.parse(text)
    return typeof entry === 'object' ? entry : null
  } catch {
    return null
  }
}
