import Fastify from 'fastify'
import pg from 'pg'
import type { Connection } from '../../server/infra/db/embedded.ts'

export interface PlainInput {
  connection: Connection
  connections: number
  workspaceId: string
}

/**
 * What a good engineer writes by hand in an hour: Fastify, `pg`, and one prepared statement for each endpoint that returns
 * the JSON text as it goes out, and for the audit log a second one for the names in it. It checks no token, counts
 * against no limit, seals no cursor (it is handed the one to print), hashes no etag, compresses nothing, measures and
 * logs nothing.
 */
let input = ''
for await (const chunk of process.stdin) input += chunk
const { connection, connections, workspaceId }: PlainInput = JSON.parse(input)
const pool = new pg.Pool({ ...connection, max: connections })
// Its database may be stopped before it is.
pool.on('error', () => {})
const app = Fastify()

const page = (json: string, source: string, which = 'id < $2') => `
  select '{"data":[' || coalesce(string_agg(json, ',' order by id desc), '') || '],"nextCursor":"' || $3::text || '"}' as json
  from (select id, ${json} as json from ${source} where workspace_id = $1 and ${which} order by id desc limit 25) as page`

const team = `
  select (select row_to_json(team) from (select t.id, t.slug, t.name, t.description, t.key_prefix as "keyPrefix",
    t.paused_at is not null as paused,
    (select row_to_json(policy) from (select p.preset, p.custom, p.version, p.executor,
      p.max_concurrency as "maxConcurrency",
      (select row_to_json(budgets) from (select p.budget_run_cents as "runCents", p.budget_day_cents as "dayCents",
        p.budget_month_cents as "monthCents") as budgets) as budgets,
      p.plan_approval as "planApproval", p.merge_policy as "mergePolicy", iso(t.paused_at) as "pausedAt",
      iso(p.created_at) as "updatedAt" where p.version is not null) as policy) as policy,
    iso(t.created_at) as "createdAt", iso(t.updated_at) as "updatedAt") as team)::text as json
  from teams t
  left join policies p on p.workspace_id = t.workspace_id and p.team_id = t.id and p.version = t.policy_version
  where t.workspace_id = $1 and t.slug = $2 and t.deleted_at is null`

const statements = {
  decisions: page('wire', 'decisions'),
  pending: page(
    'wire',
    'decisions',
    `status = 'pending' and team_id = (select id from teams where workspace_id = $1 and slug = $2)`,
  ),
  audit: page('entry', 'audit_entries'),
}

const values =
  'select ref, value from audit_personal where workspace_id = $1 and ref = any ($2) and erasure is null'
const references = /"personal:([\w-]{43})"/g

/** Entries name people by reference. The names are of many entries, so they are read by a second statement. */
async function withNames(json: string): Promise<string> {
  const refs = [...new Set([...json.matchAll(references)].map(([, ref]) => ref!))]
  if (refs.length === 0) return json
  const { rows } = await pool.query({ name: 'values', text: values, values: [workspaceId, refs] })
  const names = new Map(rows.map(({ ref, value }) => [ref, JSON.stringify(value)]))
  return json.replaceAll('{"v":2,', '{').replaceAll(references, (_, ref: string) => names.get(ref)!)
}

for (const [name, text] of Object.entries(statements))
  app.get<{ Querystring: { of: string; next: string } }>(`/${name}`, async ({ query }, reply) => {
    const { rows } = await pool.query({ name, text, values: [workspaceId, query.of, query.next] })
    const json = name === 'audit' ? await withNames(rows[0].json) : rows[0].json
    return reply.type('application/json; charset=utf-8').send(json)
  })
app.get<{ Params: { slug: string } }>('/teams/:slug', async ({ params }, reply) => {
  const { rows } = await pool.query({ name: 'team', text: team, values: [workspaceId, params.slug] })
  return reply.type('application/json; charset=utf-8').send(rows[0].json)
})

process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
