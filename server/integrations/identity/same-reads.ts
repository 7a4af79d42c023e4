import { randomUUID } from 'node:crypto'
import type { Adapter } from './one-transaction.ts'

/**
 * The library reads the accounts of a user it has found by their address. If it finds none, we read the accounts of a
 * user who does not exist, so that timing does not reveal which addresses are known.
 */
export const sameReads = (adapter: Adapter): Adapter => ({
  ...adapter,
  async findOne<Row>(given: Parameters<Adapter['findOne']>[0]): Promise<Row | null> {
    const found = await adapter.findOne<Row>(given)
    if (!found && given.model === 'user' && given.join?.account)
      await adapter.findMany({ model: 'account', where: [{ field: 'userId', value: randomUUID() }] })
    return found
  },
})
