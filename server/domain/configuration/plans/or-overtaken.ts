import type { Context } from '../../context.ts'
import type { DomainError } from '../../errors.ts'
import { listMarks } from '../../record/managed/list-marks.ts'
import { type Marked, overtaken } from '../../record/managed/mark.ts'
import type { State } from './state.ts'

/** Why something cannot be created: that someone else has created it since the workspace was read comes first. */
export async function orOvertaken(
  ctx: Context,
  state: State,
  { kind, name }: Pick<Marked, 'kind' | 'name'>,
  refusal: DomainError,
): Promise<DomainError> {
  if (refusal.code !== 'conflict') return refusal
  const known = state.findLeft(kind, name)?.id
  const isMarked = (await listMarks(ctx)).some(
    (mark) => mark.kind === kind && mark.name === name && mark.id !== known,
  )
  return isMarked ? overtaken() : refusal
}
