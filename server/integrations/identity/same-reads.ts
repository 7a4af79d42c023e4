import { randomUUID } from 'node:crypto'
import type { Adapter } from './one-transaction.ts'

/**
 * The library reads the accounts of somebody whom it has found by their address. Where it finds nobody it reads the
 * accounts of nobody, so that the time does not tell the two apart.
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
