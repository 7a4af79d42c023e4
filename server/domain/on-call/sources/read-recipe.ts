import type { Recipe } from '@signalbox/contract/app/senders.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { senders } from '../senders/index.ts'
import { commandOf } from '../senders/sender/command.ts'
import { readSource } from './read.ts'

/** What is done in a source's sender to connect it; null for an uptime check, which nothing is sent to. */
export async function readRecipe(ctx: Context, id: string): Promise<Recipe | null> {
  const { kind, settings } = fromJson(await readSource(ctx, id))
  if (kind === 'uptime') return null
  const { steps, notes } = senders[kind].recipe
  return { steps, notes, command: commandOf(senders[kind], settings) }
}
