import type { AsyncLocalStorage } from 'node:async_hooks'
import type { getAdapter } from 'better-auth/db/adapter'
import type { Transaction } from '../../domain/ports/identity.ts'

export type Adapter = Awaited<ReturnType<typeof getAdapter>>

/** What belongs to the request that the library is answering. */
export interface Handling {
  begin: () => Promise<Transaction>
  /** Writes in its transaction, once that has begun. */
  within?: Promise<Adapter>
}

const writing = ['create', 'update', 'updateMany', 'delete', 'deleteMany', 'consumeOne', 'incrementOne']
const reading = ['findOne', 'findMany', 'count']

/**
 * The library writes through the transaction of the request it answers, so that the audit entry can be part of it. The
 * transaction begins with the first write: until then the library may wait for an identity provider. Challenges and
 * links are written before that, and do not matter in the audit log.
 */
export function inOneTransaction(
  apart: Adapter,
  adapterOn: (tx: Transaction) => Promise<Adapter>,
  handling: AsyncLocalStorage<Handling>,
): Adapter {
  const choose = (name: string, model: string): Adapter | Promise<Adapter> => {
    const request = handling.getStore()
    if (!request) return apart
    if (writing.includes(name) && model !== 'verification') request.within ??= request.begin().then(adapterOn)
    return request.within ?? apart
  }
  const chosen = [...writing, ...reading].map((name) => [
    name,
    async (given: { model: string }) => {
      const adapter = (await choose(name, given.model)) as unknown as Record<
        string,
        (given: unknown) => unknown
      >
      return adapter[name]!(given)
    },
  ])
  const wrapped: Adapter = {
    ...apart,
    ...Object.fromEntries(chosen),
    // One is around it already.
    transaction: (work: (part: Adapter) => Promise<unknown>) => work(wrapped),
  }
  return wrapped
}
