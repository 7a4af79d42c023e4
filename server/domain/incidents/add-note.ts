import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { change } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { requireRole } from '../roles.ts'
import { checkedText } from '../text.ts'
import { appendToTimeline, incidentUpdated } from '../timeline/append.ts'
import { selectIncidentId } from './store.ts'

/** Writes what a person has to say into the timeline of an incident, also after it is resolved. */
export async function addNote(ctx: Context, key: string, text: string): Promise<void> {
  requireRole(ctx, 'member', 'note something on an incident')
  const note = checkedText('text', text, { least: 1, most: maxNoteLength })
  await change(ctx, async (tx) => {
    const id = await selectIncidentId(tx, ctx.workspaceId, key)
    if (!id) throw notFound('incident', key)
    const { name: by } = ctx.actor
    const incident = await appendToTimeline(ctx, tx, id, { type: 'note', text: note, data: { by } })
    return { value: undefined, audit: incidentUpdated(incident!, { change: 'noted', note }) }
  })
}
