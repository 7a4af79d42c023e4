import { type Configuration, fileVersion } from '@signalbox/contract/manage/configuration.ts'
import { resourceKinds } from '@signalbox/contract/resource-kinds.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import { kinds } from '../resources/index.ts'
import type { Tools } from '../resources/kind.ts'
import { readState } from './state.ts'

/** The workspace as a file, without secrets and without what goes without saying. */
export async function exportConfiguration(ctx: Context, tools: Tools): Promise<Configuration> {
  requireRole(ctx, 'admin', 'export the configuration')
  const state = await readState(ctx, tools)
  const sections = resourceKinds.flatMap((kind) => {
    const resources = state.all(kind).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    if (resources.length === 0) return []
    return [
      [kind, Object.fromEntries(resources.map(({ name, spec }) => [name, kinds[kind].brief(spec)]))] as const,
    ]
  })
  return { version: fileVersion, ...Object.fromEntries(sections) }
}
