import pg from 'pg'

/** Renders the row types of server/test/tables.types.ts from a migrated database. */

const typescript: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  numeric: 'string',
  bytea: 'Buffer',
  xid8: 'string',
  date: 'string',
  timestamptz: 'Date',
  _text: 'string[]',
  _timestamptz: 'Date[]',
  _uuid: 'string[]',
}

/** What the jsonb columns hold: contract type and the file it comes from. */
const json: Record<string, { type: string; from: string }> = {
  'stories.acceptance_criteria': { type: 'AcceptanceCriterion[]', from: 'story' },
  'requirements.questions': { type: 'ClarifyingQuestion[]', from: 'requirement' },
  'runs.evidence': { type: 'Evidence', from: 'run' },
  'attempts.verification': { type: 'Verification', from: 'run' },
  'runners.executors': { type: 'RunnerExecutor[]', from: 'runner-facts' },
  'runners.isolation': { type: 'Isolation', from: 'runner-facts' },
  'attempts.isolation': { type: 'Isolation', from: 'runner-facts' },
  'attempts.agent': { type: 'RunnerExecutor', from: 'runner-facts' },
  'decisions.options': { type: "Omit<DecisionOption, 'recommended'>[]", from: 'decision' },
}

interface Column {
  table: string
  name: string
  type: string
  nullable: boolean
  defaulted: boolean
  /** Values a check constraint of the form `column in (…)` allows. */
  values: string[] | null
}

export async function renderTables(connection: pg.ClientConfig): Promise<string> {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query<Column>(`
    select c.relname as table, a.attname as name, t.typname as type, not a.attnotnull as nullable,
      a.atthasdef or c.relname = 'decisions' and a.attname = 'wire' as defaulted,
      (
        select array(select (regexp_matches(pg_get_constraintdef(k.oid), '''([^'']*)''::text', 'g'))[1])
        from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
          and pg_get_constraintdef(k.oid) like '%= ANY (ARRAY[%' and t.typname = 'text'
        limit 1
      ) as values
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    where c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname, a.attnum
  `)
  await client.end()

  const imports = new Map<string, Set<string>>()
  const tables = Map.groupBy(rows, (row) => row.table)
  const lines: string[] = []
  for (const [table, columns] of tables) {
    const fields = columns.map((column) => `${column.name}: ${typeOf(column, imports)}`)
    lines.push(`export interface ${pascal(table)} { ${fields.join('; ')} }`)
  }
  const named = [...tables.keys()].map((table) => `${table}: ${pascal(table)}`)
  lines.push('', `export interface Tables { ${named.join('; ')} }`, '')

  const head = ['// Generated from server/migrations by `npm run generate`. Do not edit.', '']
  for (const [from, types] of [...imports].sort()) {
    head.push(`import type { ${[...types].sort().join(', ')} } from '@signalbox/contract/${from}.ts'`)
  }
  head.push("import type { ColumnType, Generated } from 'kysely'", '')
  return [...head, ...lines].join('\n')
}

function typeOf(column: Column, imports: Map<string, Set<string>>): string {
  const described = json[`${column.table}.${column.name}`]
  if (described) {
    const imported = imports.get(described.from) ?? new Set()
    imports.set(described.from, imported.add(described.type.replace(/^Omit<|[,[].*$/g, '')))
    const select = column.nullable ? `${described.type} | null` : described.type
    const insert = `string${column.nullable ? ' | null' : ''}${column.defaulted ? ' | undefined' : ''}`
    return `ColumnType<${select}, ${insert}, ${column.nullable ? 'string | null' : 'string'}>`
  }
  // What only its own store understands.
  if (column.type === 'jsonb' || column.type === 'json') {
    const text = column.nullable ? 'string | null' : 'string'
    return `ColumnType<unknown, ${text}${column.defaulted || column.nullable ? ' | undefined' : ''}, ${text}>`
  }
  const base = column.values
    ? column.values.map((value) => `'${value}'`).join(' | ')
    : typescript[column.type]
  if (!base)
    throw new Error(
      `No TypeScript type for ${column.table}.${column.name} (${column.type}); name it in scripts/tables.ts.`,
    )
  const nullable = column.nullable ? `${base} | null` : base
  return column.defaulted ? `Generated<${nullable}>` : nullable
}

const pascal = (name: string) => name.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase())
