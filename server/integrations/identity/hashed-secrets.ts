import { dictionary } from '@signalbox/contract/dictionary.ts'
import type { Adapter } from './one-transaction.ts'

type Digest = (token: string) => string
type Row = Record<string, unknown>
interface Condition {
  field: string
  value: unknown
}

/** What the library writes as it is though it opens a session: the model, and its field. */
const secrets: Record<string, string> = dictionary({ session: 'token', deviceCode: 'deviceCode' })

/**
 * In between, every token of a session, and every code that a terminal asks with, is replaced by its digest on the way to
 * the database, and put back where the library has named it.
 */
export function hashedSecrets(adapter: Adapter, digest: Digest): Adapter {
  const methods = adapter as unknown as Record<string, (given: unknown) => Promise<unknown>>
  const intercepted = dictionary(
    Object.fromEntries(
      Object.entries(secrets).map(([model, field]) => [model, hashing(methods, field, digest)]),
    ),
  )
  const wrapped = Object.keys(intercepted.session!).map((name) => [
    name,
    (given: { model: string }) =>
      (intercepted[given.model]?.[name] ?? methods[name])!.call(adapter, given as never),
  ])
  return { ...adapter, ...Object.fromEntries(wrapped) }
}

type Intercepted = Record<string, (given: never) => Promise<unknown>>

function hashing(
  methods: Record<string, (given: unknown) => Promise<unknown>>,
  field: string,
  digest: Digest,
): Intercepted {
  const call = (name: string, given: unknown) => methods[name]!(given)
  const one = (token: unknown) => (typeof token === 'string' ? digest(token) : token)
  const value = (given: unknown) => (Array.isArray(given) ? given.map(one) : one(given))
  const where = (conditions: Condition[] = []) =>
    conditions.map((condition) =>
      condition.field === field ? { ...condition, value: value(condition.value) } : condition,
    )
  const written = (data: Row) => (Object.hasOwn(data, field) ? { ...data, [field]: one(data[field]) } : data)
  // A digest cannot be turned back. Where the caller has named the token, the row gets it again.
  const named = (row: Row | null, conditions: Condition[] = []) => {
    const secret = conditions.find((one) => one.field === field && typeof one.value === 'string')?.value
    return row && secret !== undefined ? { ...row, [field]: secret } : row
  }

  return dictionary<(given: never) => Promise<unknown>>({
    create: async (given: { data: Row }) => {
      const row = (await call('create', { ...given, data: written(given.data) })) as Row
      return { ...row, [field]: given.data[field] }
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
}
