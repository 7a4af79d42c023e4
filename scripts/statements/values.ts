import type { Catalog, Column } from './catalog.ts'

/** How values travel: as pg parses what comes and writes what goes, with the bigint of server/infra/db/db.ts. */
const types: Record<string, { comes: string; goes: string }> = {
  uuid: both('string'),
  text: both('string'),
  varchar: both('string'),
  name: both('string'),
  bool: both('boolean'),
  int2: both('number'),
  int4: both('number'),
  int8: both('number'),
  float4: both('number'),
  float8: both('number'),
  numeric: { comes: 'string', goes: 'number | string' },
  bytea: both('Buffer'),
  timestamptz: { comes: 'Date', goes: 'Date | string' },
  date: { comes: 'never', goes: 'Date | string' },
  interval: { comes: 'never', goes: 'string' },
  xid: both('string'),
  xid8: both('string'),
  pg_snapshot: both('string'),
  json: { comes: 'AnyJson', goes: 'string' },
  jsonb: { comes: 'AnyJson', goes: 'string' },
  void: { comes: 'unknown', goes: 'never' },
}

function both(type: string) {
  return { comes: type, goes: type }
}

export function typeOfParameter(catalog: Catalog, type: number): string {
  const { name, element } = catalog.types.get(type)!
  return element === null ? known(name).goes : `readonly (${known(element).goes} | null)[]`
}

export function typeOfValue(catalog: Catalog, type: number, origin: Column | undefined): string {
  const { name, element } = catalog.types.get(type)!
  if (element !== null) return `${known(element).comes}[]`
  if (origin?.values) return origin.values.map((value) => `'${value}'`).join(' | ')
  return known(name).comes
}

function known(type: string): { comes: string; goes: string } {
  const found = Object.hasOwn(types, type) ? types[type] : undefined
  if (!found)
    throw new Error(`it has a value of type ${type}, which scripts/statements/values.ts does not know`)
  return found
}
