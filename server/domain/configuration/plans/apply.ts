import type { Resources } from '@signalbox/contract/manage/configuration.ts'
import type { Applied } from '@signalbox/contract/manage/plan.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Creating } from '../../record/audit/creating.ts'
import { markCreated, markManaged, unmark } from '../../record/managed/mark.ts'
import { kinds } from '../resources/index.ts'
import type { Tools, World } from '../resources/kind.ts'
import { asStored } from './compare-specs.ts'
import { orOvertaken } from './or-overtaken.ts'
import { planConfiguration, type Step } from './plan.ts'
import type { State } from './state.ts'

/**
 * Makes the workspace as the file says, one change after the other, by the verbs of the app. Each is a transaction of
 * its own, because some ask outside tools. The first that is refused ends it; what was done stays, and applying the file
 * again does the rest.
 */
export async function applyConfiguration(
  ctx: Context,
  tools: Tools,
  given: Resources,
  { prune = false, fingerprint }: { prune?: boolean; fingerprint?: string | undefined } = {},
): Promise<Applied> {
  const { state, steps, adopted, restated, plan } = await planConfiguration(ctx, tools, given, {
    ...{ prune, secrets: 'all' },
  })
  if (fingerprint !== undefined && fingerprint !== plan.fingerprint)
    throw new DomainError(
      'changed_meanwhile',
      'The configuration was changed after this plan was made. Make a new plan and review it.',
    )
  const done: Applied['done'] = []
  for (const step of steps) {
    const { action, kind, name, fields } = step
    try {
      await perform(ctx, state, { wanted: given, tools }, step)
    } catch (caught) {
      if (!(caught instanceof DomainError)) throw caught
      const error = action === 'create' ? await orOvertaken(ctx, state, step, caught) : caught
      const failed = { kind, name, code: error.code, message: error.message }
      return { done, failed, left: steps.length - done.length - 1 }
    }
    done.push({ action, kind, name, fields })
  }
  await markManaged(ctx, [...adopted, ...restated])
  // Of what went with something else, or before deleting forgot the mark.
  for (const left of state.allLeft()) await unmark(ctx, left)
  return { done, failed: null, left: 0 }
}

async function perform(
  ctx: Context,
  state: State,
  given: Pick<World, 'wanted' | 'tools'>,
  step: Step,
): Promise<void> {
  const { kind, name, existing, wanted } = step
  const { create, change, remove } = kinds[kind]
  const applied = wanted && asStored(kind, wanted)
  const mark: Creating = (tx, id) => markCreated(ctx, tx, { kind, name, id, applied: applied! })
  const world = { ...given, names: state, mark }
  if (!wanted) {
    await remove?.(ctx, existing!.id, name, world)
    await unmark(ctx, existing!)
    return
  }
  // Its name is free for what is created now.
  const left = state.findLeft(kind, name)
  if (!existing && left) await unmark(ctx, left)
  if (existing) await change(ctx, existing.id, { before: existing.spec, wanted }, world)
  else if (typeof create === 'string') throw new DomainError('invalid_request', create)
  const id = existing?.id ?? (await (create as Exclude<typeof create, string>)(ctx, name, wanted, world))
  await markManaged(ctx, [{ kind, name, id, applied: applied! }])
  state.add({ kind, name, id, spec: wanted, managed: true, unlockedAt: null, applied: applied! })
}
