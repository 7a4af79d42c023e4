import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { template } from '../cluster.ts'
import { emptyDatabase, superuserIn } from '../database.ts'

/** Nothing grows forever without a word (docs/manual/retention.md): each table is here with what keeps it small. */

/** Rows go: a file of ours deletes them, or their parent takes them along, or their month leaves the database. */
const goes = 'goes'
/** What happened is the record, and the manual says how large it becomes. */
const record = 'record'
/** No more rows than there are of what people create by hand, or of what is a record itself. */
const bounded = 'bounded'

const kept: Record<string, 'goes' | 'record' | `${typeof bounded}: ${string}`> = {
  accounts: 'bounded: a few for each person',
  alerts: goes,
  api_token_uses: 'bounded: one for each token',
  api_tokens: 'bounded: people create them',
  attempt_evidence: record,
  attempts: record,
  audit_anchored: 'bounded: one for each workspace and place',
  audit_anchors: 'bounded: one for each place',
  audit_checkpoints: goes,
  audit_entries: goes,
  audit_exports: goes,
  audit_key_changes: 'bounded: one for each rotation of the key',
  audit_leaves: record,
  audit_months: 'bounded: one for each month that is in a file',
  audit_news: goes,
  audit_nodes: record,
  audit_personal: record,
  audit_stream: 'bounded: one row',
  audit_stream_positions: 'bounded: one for each workspace',
  audit_timestamps: record,
  audit_unsealed: goes,
  backups: goes,
  chat_channels: 'bounded: one for each channel',
  chat_link_codes: goes,
  chat_links: 'bounded: one for each person and chat account',
  chat_messages: goes,
  chat_turns: goes,
  columns: 'bounded: some for each team',
  connection_pauses: 'bounded: one for each connection',
  connection_writes: goes,
  connections: 'bounded: people create them',
  day_spend: goes,
  decision_effects: record,
  decision_snoozes: goes,
  decisions: record,
  declined_suggestions: 'bounded: one for each team',
  deliveries: goes,
  delivery_keys: goes,
  device_codes: goes,
  effects: goes,
  former_alerts: goes,
  github_apps: 'bounded: people create them',
  hook_deliveries: goes,
  idempotency_keys: goes,
  incident_events: record,
  incidents: record,
  instance: 'bounded: one row',
  intake: goes,
  invalidations: 'bounded: one row',
  invitations: 'bounded: people send them, 200 a day at most',
  kept_files: goes,
  kept_totals: 'bounded: one for each workspace',
  key_counters: 'bounded: one for each workspace and kind',
  last_writes: 'bounded: one for each person',
  local_work: record,
  managed_resources: 'bounded: one for each managed resource',
  memberships: 'bounded: one for each person and workspace',
  migrations: 'bounded: one for each migration',
  mirrored_stories: record,
  mirrors: 'bounded: one for each team',
  night_reports: goes,
  nodes: goes,
  notification_settings: 'bounded: some for each person',
  notifications: goes,
  passkeys: 'bounded: people create them',
  pending_counts: 'bounded: one for each team, added up every minute',
  people: 'bounded: people are people',
  places: 'bounded: people create them',
  policies: 'bounded: people change them',
  practice_projects: goes,
  proposals: record,
  pull_requests: record,
  push_subscriptions: goes,
  rate_windows: goes,
  refusals: goes,
  report_settings: 'bounded: one for each person and workspace',
  requirement_replies: record,
  requirements: record,
  run_events: record,
  run_files: goes,
  run_log: goes,
  run_log_ends: record,
  runners: goes,
  runs: record,
  scim_group_members: goes,
  scim_groups: goes,
  scim_tokens: 'bounded: people create them',
  scim_users: goes,
  service_members: 'bounded: some for each service',
  services: 'bounded: people create them',
  sessions: goes,
  sign_in_attempts: goes,
  sign_in_follow_ups: goes,
  source_services: 'bounded: some for each source',
  sources: 'bounded: people create them',
  stories: record,
  story_counts: 'bounded: some for each column, added up every minute',
  story_views: 'bounded: people create them',
  surveys: record,
  sweeps: 'bounded: one row',
  team_repositories: 'bounded: some for each team',
  team_trackers: 'bounded: one for each team',
  teams: 'bounded: people create them',
  tellings: goes,
  tool_refusals: goes,
  two_factors: 'bounded: one for each person',
  uptime_states: 'bounded: one for each source',
  usage_ledger: record,
  verifications: goes,
  webhook_attempts: goes,
  webhook_deliveries: goes,
  webhook_endpoints: 'bounded: people create them',
  webhook_sequences: record,
  work_orders: goes,
  workspaces: 'bounded: people create them',
}

const root = path.join(import.meta.dirname, '../../..')
let client: pg.Client
before(async () => {
  client = new pg.Client(superuserIn(await emptyDatabase(template)))
  await client.connect()
})
after(() => client.end())

const names = async (text: string): Promise<string[]> =>
  (await client.query<{ name: string }>(text)).rows.map(({ name }) => name)

test('every table says what keeps it small, or that it is the record', async () => {
  const tables = await names(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  )
  assert.deepEqual(Object.keys(kept).toSorted(), tables.toSorted())
})

test('of each table whose rows go, something of ours deletes them', async () => {
  const cascading = await names(
    `select conrelid::regclass::text as name from pg_constraint where contype = 'f' and confdeltype = 'c'`,
  )
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-co', '--exclude-standard', 'server'], {
    ...{ cwd: root, maxBuffer: 2 ** 26 },
  })
  const files = stdout
    .split('\n')
    .filter((file) => /store\.ts$|\.sql$|^server\/infra\/.*(?<!test)\.ts$/.test(file))
  const sources = (await Promise.all(files.map((file) => readFile(path.join(root, file), 'utf8')))).join('\n')
  const left = Object.entries(kept)
    .filter(([, how]) => how === goes)
    .map(([table]) => table)
    .filter((table) => !cascading.includes(table))
    .filter((table) => !new RegExp(`delete from ${table}\\b`).test(sources))
  assert.deepEqual(left, ['audit_entries'], 'a month of it is dropped as a whole, once it is in files')
  assert.match(sources, /function drop_audit_month/)
})
