import type { Details } from '@signalbox/contract/audit-details.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { changeTogether } from '../../record/audit/change.ts'
import { deleteFactors, selectMembershipsOf } from './store.ts'

type Operator = Omit<Context, 'workspaceId'>

/** Removes the passkeys and authenticator app of a person who has lost them. */
export const forgetFactors = (operator: Operator, personId: string): Promise<void> =>
  recordHelp(operator, personId, { method: 'passkeys and authenticator app', action: 'removed' }, (tx) =>
    deleteFactors(tx, personId),
  )

/** Records that the operator was given a link to reset that person's password. */
export const recordResetLink = (operator: Operator, personId: string): Promise<void> =>
  recordHelp(operator, personId, { method: 'password', action: 'link handed out' }, async () => {})

async function recordHelp(
  operator: Operator,
  personId: string,
  details: Details['sign_in_method_changed'],
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  await changeTogether(operator, async (tx) => {
    await work(tx)
    const memberships = await selectMembershipsOf(tx, personId)
    return {
      value: undefined,
      audit: memberships.map(({ workspaceId, name }) => ({
        ctx: { ...operator, workspaceId },
        entry: {
          event: 'sign_in_method_changed',
          entity: { type: 'member', id: personId, name },
          details,
        },
      })),
    }
  })
}
