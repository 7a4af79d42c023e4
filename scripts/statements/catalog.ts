import type pg from 'pg'

/** The types and columns of a migrated database. */
export interface Catalog {
  types: ReadonlyMap<number, { name: string; element: string | null }>
  columns: ReadonlyMap<string, Column>
  /** By the names of table and column, as a plan has them. */
  columnNamed: ReadonlyMap<string, Column>
}

export interface Column {
  table: string
  name: string
  isNotNull: boolean
  /** What a check constraint of the form `column in (…)` allows. */
  values: string[] | null
}

export async function readCatalog(client: pg.Client): Promise<Catalog> {
  const types = await client.query<{ oid: number; name: string; element: string | null }>(`
    select t.oid, t.typname as name, e.typname as element
    from pg_type t
    left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'`)
  const columns = await client.query<Column & { relation: number; attribute: number }>(`
    select c.oid as relation, a.attnum as attribute, c.relname as table, a.attname as name,
      a.attnotnull or a.attnum < 0 as "isNotNull",
      (
        select array(select (regexp_matches(pg_get_constraintdef(k.oid), '''([^'']*)''::text', 'g'))[1])
        from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum] and t.typname = 'text'
          and pg_get_constraintdef(k.oid) like '%= ANY (ARRAY[%'
        limit 1
      ) as values
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    where c.relkind in ('r', 'p')`)
  return {
    types: new Map(types.rows.map(({ oid, ...type }) => [oid, type])),
    columns: new Map(columns.rows.map((column) => [`${column.relation} ${column.attribute}`, column])),
    columnNamed: new Map(columns.rows.map((column) => [`${column.table}.${column.name}`, column])),
  }
}
