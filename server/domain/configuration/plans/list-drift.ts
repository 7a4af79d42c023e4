import type { Drift } from '@signalbox/contract/app/managed.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import type { Tools } from '../resources/kind.ts'
import { differingFields } from './compare-specs.ts'
import { readState } from './state.ts'

/**
 * What a file manages and is no longer as it said: changed in the app after it was unlocked, or past the lock, as an
 * identity provider and an operator's commands do. Compared when it is read, so that none of them has to tell.
 */
export async function listDrift(ctx: Context, tools: Tools): Promise<Drift[]> {
  requireRole(ctx, 'admin', 'read the configuration')
  return (await readState(ctx, tools)).all().flatMap(({ kind, name, id, spec, managed, applied }) => {
    const fields = managed && applied ? differingFields(spec, applied) : []
    if (fields.length === 0) return []
    return [
      {
        kind,
        name,
        id,
        fields: fields.map(({ field, before, after }) => ({ field, file: after, now: before })),
      },
    ]
  })
}
