import type { ErrorCode } from '@signalbox/contract/error.ts'
import type { ManagedState } from '@signalbox/contract/manage/resource.ts'
import type { ResourceKind } from '@signalbox/contract/resource-kinds.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Tools } from '../resources/kind.ts'
import { applyConfiguration } from './apply.ts'
import { readResource } from './read-resource.ts'

/** Makes one resource as it is described, and marks it as managed. Done twice, it changes nothing. */
export async function putResource(
  ctx: Context,
  tools: Tools,
  { kind, name, spec }: { kind: ResourceKind; name: string; spec: object },
): Promise<ManagedState> {
  const apply = () => applyConfiguration(ctx, tools, { [kind]: { [name]: spec } })
  let { failed } = await apply()
  // What someone else has just created is made as it is described.
  if (failed?.code === 'changed_meanwhile') ({ failed } = await apply())
  if (failed) throw new DomainError(failed.code as ErrorCode, failed.message)
  return readResource(ctx, tools, kind, name)
}
