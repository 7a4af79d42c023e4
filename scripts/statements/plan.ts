import type pg from 'pg'
import type { Catalog } from './catalog.ts'

/**
 * Which columns of a statement may be null. A column of a table is as the table says, unless an outer join may have found
 * no row for it; an expression may be null unless it is one of the few that never are. Both are read from the plan: there
 * PostgreSQL has already dropped the outer joins that cannot come up empty, and writes every expression in one way.
 */
export interface Plan {
  mayBeNull(index: number, origin: { table: string; isNotNull: boolean } | undefined): boolean
}

interface Node {
  'Node Type': string
  Strategy?: string
  Filter?: string
  'One-Time Filter'?: string
  'Join Type'?: string
  'Parent Relationship'?: string
  'Subplan Name'?: string
  'Relation Name'?: string
  'CTE Name'?: string
  Alias?: string
  Output?: string[]
  Plans?: Node[]
}

export async function planOf(
  client: pg.Client,
  catalog: Catalog,
  text: string,
  isParameterNotNull: (place: number) => boolean,
): Promise<Plan> {
  const { rows } = await client.query(`explain (generic_plan, verbose, format json) ${text}`)
  const top = rows[0]['QUERY PLAN'][0].Plan as Node
  const nodes = [...within(top)]
  const subplans = new Map(
    nodes.flatMap((node) => (node['Subplan Name'] ? [[node['Subplan Name'], node]] : [])),
  )
  const scans = new Map(nodes.flatMap((node) => (node.Alias ? [[node.Alias, node]] : [])))
  const unmatched = nodes.flatMap(unmatchedSides).flatMap((side) => [...throughCtes(side, subplans)])
  const aliases = new Set(unmatched.map((node) => node.Alias))
  const worked = new Set(unmatched.flatMap((node) => node.Output ?? []).map(bare))
  const tables = new Set(unmatched.map((node) => node['Relation Name']))
  const facts: Facts = {
    isParameterNotNull,
    isColumnNotNull(alias, name) {
      // A table in partitions is scanned under their names.
      const table = scans.get(alias)?.['Relation Name'] ?? alias
      return catalog.columnNamed.get(`${table}.${name}`)?.isNotNull === true && !aliases.has(alias)
    },
    onlyScan: scans.size === 1 ? [...scans.keys()][0] : undefined,
    outputOf: (subplan) => subplans.get(subplan)?.Output ?? [],
    isOfUnmatched: (expression) => worked.has(expression),
    onlyRowOf: (subplan) => onlyRowOf(subplans.get(subplan)),
  }
  return {
    mayBeNull(index, origin) {
      const expression = bare(top.Output?.[index] ?? '')
      if (!origin) return !isNeverNull(expression, facts)
      if (!origin.isNotNull) return true
      const alias = /^(\w+)\.(?:\w+|"\w+")$/.exec(expression)?.[1]
      const isTable = alias !== undefined && scans.get(alias)?.['Relation Name'] === origin.table
      return isTable ? aliases.has(alias) : tables.has(origin.table)
    },
  }
}

function* within(node: Node): Generator<Node> {
  yield node
  for (const inner of node.Plans ?? []) yield* within(inner)
}

/** The sides of an outer join for which there may be no row. */
function unmatchedSides(node: Node): Node[] {
  const sides: Record<string, string[]> = { Left: ['Inner'], Right: ['Outer'], Full: ['Inner', 'Outer'] }
  const names = sides[node['Join Type'] ?? ''] ?? []
  return (node.Plans ?? []).filter((inner) => names.includes(inner['Parent Relationship'] ?? ''))
}

function* throughCtes(node: Node, subplans: Map<string, Node>): Generator<Node> {
  for (const inner of within(node)) {
    yield inner
    const cte = inner['CTE Name'] && subplans.get(`CTE ${inner['CTE Name']}`)
    if (cte) yield* within(cte)
  }
}

/** What a subquery gives that always finds one row; undefined for any other. */
function onlyRowOf(node: Node | undefined): string | undefined {
  if (!node) return undefined
  // Only of EXISTS is nothing wanted but whether there is a row.
  if (!node.Output) return 'true'
  if (node.Filter || node['One-Time Filter']) return undefined
  const isOne =
    (node['Node Type'] === 'Result' &&
      !node.Plans?.some((inner) => inner['Parent Relationship'] === 'Outer')) ||
    (node['Node Type'] === 'Aggregate' && node.Strategy === 'Plain') ||
    (node['Node Type'] === 'Subquery Scan' && onlyRowOf(node.Plans?.[0]) !== undefined)
  return isOne ? node.Output?.[0] : undefined
}

/** Functions that give a value for whatever values they are given. */
const total = new Set(
  `iso lower upper to_char encode sha256 convert_to cardinality array_to_string hashtext pg_try_advisory_xact_lock
  ceil floor round abs greatest least left btrim replace jsonb_array_length concat`.split(/\s+/),
)

const operators = [' AND ', ' OR ', ' = ', ' <> ', ' < ', ' > ', ' <= ', ' >= ', ' || ', ' + ', ' - ', ' * ']

interface Facts {
  /** A parameter of the statement, `$1`. */
  isParameterNotNull(place: number): boolean
  isColumnNotNull(alias: string, name: string): boolean
  /** Of a statement over one table: its columns are then written without it. */
  onlyScan: string | undefined
  onlyRowOf(subplan: string): string | undefined
  /** Worked out on a side of an outer join for which there may be no row: null without one, whatever it is. */
  isOfUnmatched(expression: string): boolean
  outputOf(subplan: string): string[]
}

const neverNull = [
  /^(count|row_number|rank|json_build_object|jsonb_build_object|json_build_array|jsonb_build_array|now|clock_timestamp)\(.*\)$/s,
  /^(row_to_json|to_json|to_jsonb)\(ROW\(.*\)\)$/s,
  /^pg_current_snapshot\(\)$/,
  /^(EXISTS|ARRAY)\(.*\)$/s,
  /^ARRAY\[.*\]$/s,
  /^'([^']|'')*'$/s,
  /^(ANY|ALL) \('\{(?!.*\bNULL\b)[^']*\}'::[a-z ]+\[\]\)$/s,
  /^-?[\d.]+$/,
  /^(true|false)$/,
]

/** Of an expression as a plan writes it. */
function isNeverNull(expression: string, facts: Facts): boolean {
  if (facts.isOfUnmatched(bare(expression))) return false
  const text = bare(expression).replace(/^(count\(.*?\)) FILTER \(WHERE .*\)$/s, '$1')
  const column = /^(\w+)\.(\w+)$/.exec(text)
  if (column) return facts.isColumnNotNull(column[1]!, column[2]!)
  const lone = /^\w+$/.test(text) ? facts.onlyScan : undefined
  if (lone && facts.isColumnNotNull(lone, text)) return true
  const subplan = /^\(?((?:Sub|Init)Plan \d+)(?:\)\.col1)?$/.exec(text)
  if (subplan) return isNeverNull(facts.onlyRowOf(subplan[1]!) ?? 'null', facts)
  if (
    / IS (NOT )?NULL$/.test(text) &&
    partsOf(text, ' AND ').length === 1 &&
    partsOf(text, ' OR ').length === 1
  )
    return true
  const coalesced = /^COALESCE\((.*)\)$/s.exec(text)
  if (coalesced && isOneGroup(text.slice('COALESCE'.length)))
    return partsOf(coalesced[1]!, ', ').some((part) => isNeverNull(part, facts))
  // How a subquery of EXISTS or IN is written whose rows are looked up in a table in memory.
  const hashed = /^ANY (\(.*\(hashed SubPlan .*\))$/s.exec(text)
  if (hashed && isOneGroup(hashed[1]!))
    return partsOf(bare(hashed[1]!), ' AND ').every((part) => {
      const pair = /^(.*) = \(hashed (SubPlan \d+)\)\.col(\d+)$/s.exec(bare(part))
      const other = pair && facts.outputOf(pair[2]!)[Number(pair[3]) - 1]
      return pair && other !== undefined && isNeverNull(pair[1]!, facts) && isNeverNull(other!, facts)
    })
  for (const operator of operators) {
    const parts = partsOf(text, operator)
    if (parts.length > 1) return parts.every((part) => isNeverNull(part, facts))
  }
  const parameter = /^\$(\d+)$/.exec(text)
  if (parameter) return facts.isParameterNotNull(Number(parameter[1]))
  const call = /^(\w+)(\(.*\))$/s.exec(text)
  if (call && total.has(call[1]!) && isOneGroup(call[2]!))
    return partsOf(call[2]!.slice(1, -1), ', ').every((part) => isNeverNull(part, facts))
  const negated = /^NOT (.*)$/s.exec(text)
  if (negated) return isNeverNull(negated[1]!, facts)
  return (
    neverNull.some((pattern) => pattern.test(text)) &&
    (!/^\w+\(/.test(text) || isOneGroup(text.replace(/^\w+/, '')))
  )
}

/** Without the brackets and casts around it: neither makes a value null. */
function bare(expression: string): string {
  const text = expression.trim()
  if (isOneGroup(text)) return bare(text.slice(1, -1))
  const cast = /^(.*)::(?:[a-z][a-z_0-9 ]*|"char")(?:\(\d+\))?(?:\[\])?$/s.exec(text)
  return cast && isWhole(cast[1]!) ? bare(cast[1]!) : text
}

/** Whether a cast behind it is of all of it. */
const isWhole = (text: string) =>
  isOneGroup(text) || /^('([^']|'')*'|[\w.$]+)$/s.test(text) || isOneGroup(text.replace(/^\w+/, ''))

/** Whether the bracket that it begins with is closed at its end, and not before. */
function isOneGroup(text: string): boolean {
  if (!text.startsWith('(') || !text.endsWith(')')) return false
  return depths(text).every((depth, index) => depth > 0 || index === text.length - 1)
}

/** How many brackets are open after each character; what is quoted has none. */
function depths(text: string): number[] {
  let depth = 0
  let quote: string | null = null
  return text.split('').map((character) => {
    if (quote) quote = character === quote ? null : quote
    else if (character === "'" || character === '"') quote = character
    else if (character === '(' || character === '[') depth += 1
    else if (character === ')' || character === ']') depth -= 1
    return depth + (quote ? 1 : 0)
  })
}

/** What stands between separators that are in no bracket. */
function partsOf(text: string, separator: string): string[] {
  const open = depths(text)
  const parts: string[] = []
  let from = 0
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + 1)) {
    if (open[at] !== 0) continue
    parts.push(text.slice(from, at))
    from = at + separator.length
  }
  return [...parts, text.slice(from)]
}
