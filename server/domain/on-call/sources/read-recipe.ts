import type { Recipe } from '@signalbox/contract/app/senders.ts'
import { isAtLeast } from '@signalbox/contract/roles.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { senders } from '../senders/index.ts'
import { withHeader } from '../senders/proving/shell.ts'
import { commandOf } from '../senders/sender/command.ts'
import { readService } from '../services/read.ts'
import type { TestMarks } from '../signals/test-marks.ts'
import { readSource } from './read.ts'

/** What is done in a source's sender to connect it; null for an uptime check, which nothing is sent to. */
export async function readRecipe(ctx: Context, marks: TestMarks, id: string): Promise<Recipe | null> {
  const { kind, settings, services } = fromJson(await readSource(ctx, id))
  if (kind === 'uptime') return null
  const { steps, notes } = senders[kind].recipe
  const command = commandOf(senders[kind], settings)
  // As with the button: only they have an incident opened to try it.
  const mayTest = ctx.actor.type === 'human' && isAtLeast(ctx.actor.role, 'admin')
  if (command === null || !mayTest || !services[0]) return { steps, notes, command, testCommand: null }
  const { name } = fromJson(await readService(ctx, services[0]))
  const mark = marks.make({ sourceId: id, service: name }, ctx.clock.now())
  return { steps, notes, command, testCommand: withHeader(command, `X-Signalbox-Test: ${mark}`) }
}
