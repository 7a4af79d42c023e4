import type pg from 'pg'
import type { Prepared } from '../../../scripts/statements/statements.ts'

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  Plans?: Plan[]
}

/** The tables that a statement goes through from end to end, as PostgreSQL would plan it once for any values. */
export async function walksOf(client: pg.Client, { text }: Prepared): Promise<string[]> {
  // Settings have no plan.
  if (/^\s*set\b/i.test(text)) return []
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (generic_plan, format json) ${text}`,
  )
  return [...new Set(seqScans(rows[0]!['QUERY PLAN'][0].Plan))]
}

function seqScans(plan: Plan): string[] {
  const own = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name']!] : []
  return [...own, ...(plan.Plans ?? []).flatMap(seqScans)]
}
