import { maxNoteLength } from '@signalbox/contract/limits.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { lockForPerson } from './lock.ts'
import { recordAct } from './record-act.ts'

/** Writes what a person has to say into the timeline of an incident, also after it is resolved. */
export async function addNote(ctx: Context, key: string, text: string): Promise<void> {
  requireRole(ctx, 'member', 'note something on an incident')
  const note = checkedText('text', text, { least: 1, most: maxNoteLength })
  await change(ctx, async (tx) => {
    const incident = await lockForPerson(ctx, tx, key)
    const step = { type: 'note', text: note, posted: `noted: ${note}` }
    return { value: undefined, audit: await recordAct(ctx, tx, incident, step, { change: 'noted', note }) }
  })
}
