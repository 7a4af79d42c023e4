import type { Context } from '../../context.ts'
import { erasePerson } from './erase.ts'
import { selectUnerasedByIds } from './person-store.ts'

/** A backup has brought back people who were erased after it was made: erases them again. Returns how many. */
export async function eraseAgain(
  operator: Omit<Context, 'workspaceId'>,
  personIds: readonly string[],
): Promise<number> {
  const back = personIds.length === 0 ? [] : await selectUnerasedByIds(operator.db, [...personIds])
  for (const personId of back) await erasePerson(operator, personId, { again: true })
  return back.length
}
