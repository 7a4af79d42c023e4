import { dictionary } from '@signalbox/contract/dictionary.ts'
import type { Adapter } from './one-transaction.ts'

type Digest = (token: string) => string
type Row = Record<string, unknown>
interface Condition {
  field: string
  value: unknown
}

/**
 * The library writes session tokens as they are. In between, every token of a session is replaced by its digest on the
 * way to the database, and put back where the library has named it.
 */
export function hashedSessions(adapter: Adapter, digest: Digest): Adapter {
  const one = (token: unknown) => (typeof token === 'string' ? digest(token) : token)
  const value = (given: unknown) => (Array.isArray(given) ? given.map(one) : one(given))
  const where = (conditions: Condition[] = []) =>
    conditions.map((condition) =>
      condition.field === 'token' ? { ...condition, value: value(condition.value) } : condition,
    )
  const written = (data: Row) => ('token' in data ? { ...data, token: one(data.token) } : data)
  // A digest cannot be turned back. Where the caller has named the token, the row gets it again.
  const named = (row: Row | null, conditions: Condition[] = []) => {
    const token = conditions.find(({ field, value }) => field === 'token' && typeof value === 'string')?.value
    return row && token !== undefined ? { ...row, token } : row
  }

  const intercepted: Record<string, (given: never) => Promise<unknown>> = dictionary({
    create: async (given: { data: Row }) => {
      const row = (await call('create', { ...given, data: written(given.data) })) as Row
      return { ...row, token: given.data.token }
    },
    findOne: async (given: { where: Condition[] }) =>
      named((await call('findOne', { ...given, where: where(given.where) })) as Row | null, given.where),
    findMany: (given: { where?: Condition[] }) => call('findMany', { ...given, where: where(given.where) }),
    count: (given: { where?: Condition[] }) => call('count', { ...given, where: where(given.where) }),
    update: async (given: { where: Condition[]; update: Row }) =>
      named(
        (await call('update', {
          ...given,
          where: where(given.where),
          update: written(given.update),
        })) as Row | null,
        given.where,
      ),
    updateMany: (given: { where: Condition[]; update: Row }) =>
      call('updateMany', { ...given, where: where(given.where), update: written(given.update) }),
    delete: (given: { where: Condition[] }) => call('delete', { ...given, where: where(given.where) }),
    deleteMany: (given: { where: Condition[] }) =>
      call('deleteMany', { ...given, where: where(given.where) }),
    consumeOne: async (given: { where: Condition[] }) =>
      named((await call('consumeOne', { ...given, where: where(given.where) })) as Row | null, given.where),
    incrementOne: async (given: { where: Condition[] }) =>
      named((await call('incrementOne', { ...given, where: where(given.where) })) as Row | null, given.where),
  })
  const methods = adapter as unknown as Record<string, (given: unknown) => Promise<unknown>>
  const call = (name: string, given: unknown) => methods[name]!(given)

  const wrapped = Object.fromEntries(
    Object.entries(intercepted).map(([name, intercept]) => [
      name,
      (given: { model: string }) =>
        given.model === 'session' ? intercept(given as never) : call(name, given),
    ]),
  )
  return { ...adapter, ...wrapped }
}
