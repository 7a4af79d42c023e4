import type { Drift } from '@signalbox/contract/app/managed.ts'

export interface Difference {
  field: string
  file: string
  now: string
}

/** Long lists and texts are cut: the page itself shows the present value in full. */
const mostCharacters = 80

/** Field by field, what the file says and what is so now. Of an object only the parts that differ. */
export const differencesOf = (fields: Drift['fields']): Difference[] =>
  fields.flatMap(({ field, file, now }) =>
    isObject(file) && isObject(now)
      ? Object.keys({ ...file, ...now })
          .filter((part) => written(file[part]) !== written(now[part]))
          .map((part) => shown(`${field}.${part}`, file[part], now[part]))
      : [shown(field, file, now)],
  )

const shown = (field: string, file: unknown, now: unknown): Difference => ({
  ...{ field, file: cut(written(file)), now: cut(written(now)) },
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function written(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'None'
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(written).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const cut = (text: string) => (text.length > mostCharacters ? `${text.slice(0, mostCharacters - 1)}…` : text)
