// Generated from server/migrations by `npm run generate`. Do not edit.

import type { DecisionOption } from '@signalbox/contract/decision.ts'
import type { ClarifyingQuestion } from '@signalbox/contract/requirement.ts'
import type { Evidence, Verification } from '@signalbox/contract/run.ts'
import type { Isolation, RunnerExecutor } from '@signalbox/contract/runner-facts.ts'
import type { AcceptanceCriterion } from '@signalbox/contract/story.ts'
import type { ColumnType, Generated } from 'kysely'

export interface Accounts {
  id: string
  person_id: string
  provider_id: string
  account_id: string
  password: string | null
  access_token: string | null
  refresh_token: string | null
  id_token: string | null
  access_token_expires_at: Date | null
  refresh_token_expires_at: Date | null
  scope: string | null
  created_at: Date
  updated_at: Date
}

export interface Alerts {
  id: string
  workspace_id: string
  source_id: string
  fingerprint: string
  title: string
  status: 'firing' | 'resolved'
  severity: 'critical' | 'high' | 'medium' | 'low' | 'info'
  service_id: string | null
  incident_id: string | null
  environment: string | null
  description: string | null
  labels: ColumnType<unknown, string, string>
  links: ColumnType<unknown, string, string>
  sender_id: string | null
  started_at: Date | null
  ended_at: Date | null
  occurred_at: Date
  recovered_at: Date | null
  count: number
  reason: string | null
  first_at: Date
  last_at: Date
  is_test: Generated<boolean>
  cuts: ColumnType<unknown, string | undefined, string>
}

export interface ApiTokenUses {
  token_id: string
  last_used_at: Date
}

export interface ApiTokens {
  id: string
  workspace_id: string
  person_id: string
  name: string
  prefix: string
  digest: Buffer
  permissions: string[]
  created_at: Date
  expires_at: Date
  revoked_at: Date | null
  hidden: Generated<boolean>
  manages: Generated<boolean>
}

export interface AttemptEvidence {
  workspace_id: string
  run_id: string
  attempt: number
  envelope: string
  runner: string
  public_key: string
  recorded_at: Date
  repository: Generated<string>
}

export interface Attempts {
  workspace_id: string
  run_id: string
  attempt: number
  status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'
  stage: 'planning' | 'implementing' | 'verifying' | 'handing_off'
  executor: 'claude_code' | 'codex' | 'gemini' | 'opencode' | 'copilot' | 'qwen' | 'pi' | 'acp' | 'command' | 'scripted'
  cost_cents: Generated<number>
  failure_class: 'transient' | 'persistent' | 'policy' | 'budget' | 'gate' | 'dependency' | null
  error: string | null
  verification: ColumnType<Verification | null, string | null, string | null>
  started_at: Date | null
  completed_at: Date | null
  cost_micros: Generated<number>
  isolation: ColumnType<Isolation | null, string | null, string | null>
  agent: ColumnType<RunnerExecutor | null, string | null, string | null>
}

export interface AuditAnchored {
  workspace_id: string
  target: string
  size: number
}

export interface AuditAnchors {
  target: 'timestamp' | 'folder' | 'webhook' | 'email'
  tried_at: Date | null
  sent_at: Date | null
  failing_since: Date | null
  error: string | null
}

export interface AuditCheckpoints {
  workspace_id: string
  size: number
  root: Buffer
  frontier: Buffer
  note: string
  sealed_at: Date
}

export interface AuditEntries {
  id: string
  workspace_id: string
  team: string | null
  actor_type: 'human' | 'service' | 'system'
  event: string
  run_key: string | null
  entry: string
}

export interface AuditExports {
  id: string
  workspace_id: string
  entries: string[]
}

export interface AuditKeyChanges {
  workspace_id: string
  note: string
  changed_at: Date
}

export interface AuditLeaves {
  workspace_id: string
  position: number
  entry_id: string
  hash: Buffer
}

export interface AuditMonths {
  workspace_id: string
  month: string
  entries: number
  file: string
  note: string
  restored: Generated<string[]>
  archived_at: Date
}

export interface AuditNews {
  workspace_id: string
  written_by: Generated<string>
  entry_id: string
  written_at: Generated<Date>
}

export interface AuditNodes {
  workspace_id: string
  level: number
  position: number
  hash: Buffer
}

export interface AuditPersonal {
  workspace_id: string
  ref: string
  person_id: string | null
  salt: string | null
  value: string | null
  erasure: string | null
}

export interface AuditStream {
  only_row: Generated<boolean>
  node: string
  node_until: Date
  sent_at: Date | null
  failing_since: Date | null
  error: string | null
}

export interface AuditStreamPositions {
  workspace_id: string
  position: number
}

export interface AuditTimestamps {
  workspace_id: string
  size: number
  note: string
  response: Buffer
  stamped_at: Date
}

export interface AuditUnsealed {
  workspace_id: string
  entry_id: string
}

export interface Backups {
  id: string
  cause: 'schedule' | 'operator'
  begun_at: Date
  ended_at: Date | null
  taken_at: Date | null
  place: string | null
  encrypted: boolean
  bytes: number | null
  rows: number | null
  error: string | null
}

export interface ChatChannels {
  workspace_id: string
  connection_id: string
  channel: string
  free_at: Date
  busy_until: Date | null
}

export interface ChatLinkCodes {
  code_hash: Buffer
  workspace_id: string
  connection_id: string
  chat_user: string
  chat_name: string
  expires_at: Date
}

export interface ChatLinks {
  workspace_id: string
  connection_id: string
  chat_user: string
  person_id: string
  linked_at: Date
}

export interface ChatMessages {
  workspace_id: string
  place_id: string
  subject: string
  message: string
  posted_at: Date
  shown: Buffer | null
}

export interface ChatTurns {
  workspace_id: string
  connection_id: string
  channel: string
  what: string
  at: Date
}

export interface Columns {
  id: string
  workspace_id: string
  team_id: string
  name: string
  role: 'backlog' | 'refining' | 'ready' | 'in_progress' | 'review' | 'done'
  position: number
}

export interface ConnectionPauses {
  workspace_id: string
  connection_id: string
  until: Date
}

export interface ConnectionWrites {
  connection_id: string
  workspace_id: string
  recent: Generated<Date[]>
  busy_until: Date | null
}

export interface Connections {
  id: string
  workspace_id: string
  kind: 'github' | 'gitlab' | 'jira' | 'linear' | 'slack'
  name: string
  base_url: string
  method: 'token' | 'app' | 'basic' | 'bot'
  account: string | null
  credentials: Buffer | null
  hook_token_hash: Buffer
  hook_token: Buffer | null
  webhook_secret: Buffer | null
  former_webhook_secret: Buffer | null
  former_secret_until: Date | null
  last_success_at: Date | null
  last_refusal_at: Date | null
  last_refusal: string | null
  missing: Generated<string[]>
  limit_left: number | null
  limit_of: number | null
  limit_resets_at: Date | null
  created_at: Date
  updated_at: Date
  deleted_at: Date | null
  clicked_at: Date | null
  hooks_looked_at: Date | null
  hooks_state: 'working' | 'failing' | 'off' | 'none' | 'unknown' | null
  hooks_note: string | null
}

export interface DaySpend {
  workspace_id: string
  team_id: string
  day: Date
  euro_micros: number
}

export interface DecisionEffects {
  workspace_id: string
  decision_id: string
  position: number
  type: string
  status: 'done' | 'queued' | 'failed'
  target_type: string
  target_id: string
}

export interface DecisionSnoozes {
  workspace_id: string
  person_id: string
  decision_id: string
  until: Date
  seen: string
}

export interface Decisions {
  id: string
  workspace_id: string
  team_id: string
  story_id: string | null
  run_id: string | null
  key: string
  kind: 'plan_approval' | 'policy_exception' | 'clarification' | 'budget_stop' | 'verification_failed' | 'gate_failure' | 'diff_guard' | 'repeated_gate_failure' | 'merge_approval' | 'revert_approval' | 'main_red_incident' | 'maintenance_proposal' | 'strategy_proposal' | 'scope_change'
  authority: 'owner' | 'admin' | 'member'
  title: string
  body: string
  status: 'pending' | 'resolved' | 'expired' | 'cancelled' | 'superseded'
  options: ColumnType<Omit<DecisionOption, 'recommended'>[], string, string>
  recommendation: string
  resolution_option: string | null
  resolution_note: string | null
  resolved_by: string | null
  resolved_via: 'app' | 'slack' | 'mcp' | 'api' | null
  resolved_at: Date | null
  expires_at: Date | null
  created_at: Date
  wire: Generated<string>
  proposal_id: string | null
  facts: ColumnType<unknown, string | undefined, string>
  incident_id: string | null
  resolved_presence: 'session' | 'passkey' | 'chat' | 'token' | null
  hidden: Generated<boolean>
}

export interface DeclinedSuggestions {
  workspace_id: string
  team_id: string
  merges: number
  at: Date
}

export interface Deliveries {
  id: string
  workspace_id: string
  source_id: string
  received_at: Date
  alerts: ColumnType<unknown, string, string>
  test: boolean
  problem: string | null
  handshake: ColumnType<unknown, string | null | undefined, string | null>
}

export interface DeliveryKeys {
  source_id: string
  key: Buffer
  delivery_id: string
  received_at: Date
}

export interface DeviceCodes {
  id: string
  device_code: string
  user_code: string
  person_id: string | null
  status: 'pending' | 'approved' | 'denied'
  client_id: string | null
  scope: string | null
  polling_interval: number | null
  last_polled_at: Date | null
  expires_at: Date
  through_provider: Generated<boolean>
}

export interface Effects {
  id: string
  workspace_id: string
  run_id: string | null
  kind: string
  key: string
  data: ColumnType<unknown, string, string>
  attempts: Generated<number>
  last_error: string | null
  due_at: Date | null
  done_at: Date | null
  created_at: Date
  ordered_by: string | null
  ordered_through: string | null
  parked_by: string | null
}

export interface FormerAlerts {
  id: string
  workspace_id: string
  source_id: string
  fingerprint: string
  title: string
  status: string
  severity: string
  service_id: string | null
  incident_id: string
  environment: string | null
  description: string | null
  labels: ColumnType<unknown, string, string>
  links: ColumnType<unknown, string, string>
  sender_id: string | null
  started_at: Date | null
  ended_at: Date | null
  occurred_at: Date
  recovered_at: Date | null
  count: number
  reason: string | null
  first_at: Date
  last_at: Date
  is_test: boolean
  cuts: ColumnType<unknown, string, string>
}

export interface GithubApps {
  id: string
  workspace_id: string
  person_id: string
  name: string
  base_url: string
  organization: string | null
  return_to: string
  hook_token: Buffer
  used_at: Date | null
  credentials: Buffer | null
  webhook_secret: Buffer | null
  slug: string | null
  install_url: string | null
  expires_at: Date
  created_at: Date
}

export interface HookDeliveries {
  id: string
  workspace_id: string
  connection_id: string
  sender_id: string
  event: string
  body: Buffer
  received_at: Date
  due_at: Date | null
  attempts: Generated<number>
  understood_at: Date | null
  understood: string | null
}

export interface IdempotencyKeys {
  workspace_id: string
  person_id: string
  key: string
  request: Buffer
  response: string | null
  created_at: Date
}

export interface IncidentEvents {
  workspace_id: string
  incident_id: string
  seq: number
  at: Date
  type: string
  text: string
  data: ColumnType<unknown, string | undefined, string>
}

export interface Incidents {
  id: string
  workspace_id: string
  service_id: string
  team_id: string
  key: string
  title: string
  severity: 'critical' | 'high' | 'medium' | 'low' | 'info'
  status: 'open' | 'resolved'
  finding: ColumnType<unknown, string | null | undefined, string | null>
  opened_at: Date
  resolved_at: Date | null
  acknowledged_by: string | null
  acknowledged_at: Date | null
  assignee_id: string | null
  assigned_at: Date | null
  resolved_by: string | null
  resolved_reason: string | null
  worst_alert: 'critical' | 'high' | 'medium' | 'low' | 'info'
  hidden: Generated<boolean>
}

export interface Instance {
  only_row: Generated<boolean>
  secret_fingerprint: string
  created_at: Generated<Date>
  previous_fingerprint: string | null
  rotation_started_at: Date | null
  rotation_finished_at: Date | null
  resealed: Generated<number>
  push_seed: Buffer | null
}

export interface Intake {
  workspace_id: string
  source_id: string
  id: string
  deliveries: string
}

export interface Invalidations {
  only_row: Generated<boolean>
  sequence: number
}

export interface Invitations {
  id: string
  workspace_id: string
  email: string
  role: 'owner' | 'admin' | 'member'
  code_digest: string
  mailed_digest: string | null
  invited_by: string | null
  created_at: Date
  expires_at: Date
  accepted_at: Date | null
  revoked_at: Date | null
}

export interface KeptFiles {
  workspace_id: string
  sha256: string
  bytes: Buffer
  size: number
  made_at: Date
}

export interface KeptTotals {
  workspace_id: string
  bytes: number
}

export interface KeyCounters {
  workspace_id: string
  kind: string
  last: number
}

export interface LastWrites {
  person_id: string
  position: number
}

export interface LocalWork {
  workspace_id: string
  run_id: string
  attempt: number
  person_id: string
  agent: string | null
  begun_at: Date
  progress: ColumnType<unknown, string | null | undefined, string | null>
  evidence: ColumnType<unknown, string | null | undefined, string | null>
  handed_off: ColumnType<unknown, string | null | undefined, string | null>
}

export interface ManagedResources {
  workspace_id: string
  kind: 'teams' | 'policies' | 'members' | 'connections' | 'repositories' | 'places' | 'services' | 'sources' | 'webhooks'
  name: string
  resource_id: string
  managed_at: Date
  unlocked_at: Date | null
  applied: ColumnType<unknown, string | null | undefined, string | null>
}

export interface Memberships {
  workspace_id: string
  person_id: string
  role: 'owner' | 'admin' | 'member'
  joined_at: Date
}

export interface Migrations {
  number: number
  name: string
  checksum: string
  applied_at: Generated<Date>
  contract: Generated<number>
}

export interface MirroredStories {
  workspace_id: string
  story_id: string
  team_id: string
  connection_id: string
  tool: string
  project_id: string
  issue_id: string | null
  wish: string | null
  base: ColumnType<unknown, string, string>
  issue_updated_at: Date | null
  issue_digest: string | null
  writing: Generated<string[]>
  conflicts: ColumnType<unknown, string | undefined, string>
  notice: string | null
  left_because: 'closed' | 'moved' | 'deleted' | null
  comment: ColumnType<unknown, string | null | undefined, string | null>
  in_step_since: Date | null
  checked_at: Date
  block_ref: string | null
}

export interface Mirrors {
  workspace_id: string
  team_id: string
  connection_id: string
  project_id: string
  label: string | null
  statuses: ColumnType<unknown, string | null | undefined, string | null>
  cursor: ColumnType<unknown, string | null | undefined, string | null>
  imported: Generated<number>
  total: number | null
  imported_at: Date | null
  due_at: Date
  held_until: Date | null
  swept_at: Date | null
  compared_at: Date | null
  failures: Generated<number>
  last_error: string | null
}

export interface NightReports {
  workspace_id: string
  person_id: string
  morning: string
  from_at: Date
  until_at: Date
  is_empty: boolean
}

export interface Nodes {
  id: string
  started_at: Generated<Date>
  lease_until: Date
  applied: number
  version: string | null
  migration: number | null
  host: string | null
  skew_ms: number | null
  secret_keys: string[] | null
  seals_with: string | null
}

export interface NotificationSettings {
  person_id: string
  kind: 'decision' | 'incident' | 'run' | 'token' | 'webhook' | 'runner' | 'connection' | 'report' | 'suggestion'
  in_app: boolean
  by_mail: boolean
  by_push: boolean
}

export interface Notifications {
  id: string
  workspace_id: string
  person_id: string
  title: string
  body: string
  created_at: Date
  read_at: Date | null
  kind: 'decision' | 'incident' | 'run' | 'token' | 'webhook' | 'runner' | 'connection' | 'report' | 'suggestion'
  thing: string
  what: string
  in_app: boolean
  shown_at: Date | null
  pushed_at: Date | null
}

export interface Passkeys {
  id: string
  person_id: string
  name: string | null
  public_key: string
  credential_id: string
  counter: number
  device_type: string
  backed_up: boolean
  transports: string | null
  aaguid: string | null
  created_at: Date | null
}

export interface PendingCounts {
  workspace_id: string
  team_id: string
  kind: string
  amount: number
}

export interface People {
  id: string
  email: string
  name: string
  created_at: Date
  email_verified: Generated<boolean>
  image: string | null
  two_factor_enabled: Generated<boolean>
  updated_at: Date
  erased_at: Date | null
}

export interface Places {
  id: string
  workspace_id: string
  team_id: string
  tool: string
  name: string
  address: string
  created_at: Date
  connection_id: string | null
}

export interface Policies {
  workspace_id: string
  team_id: string
  version: number
  preset: 'trial' | 'supervised' | 'balanced' | 'autonomous'
  custom: boolean
  executor: 'claude_code' | 'codex' | 'gemini' | 'opencode' | 'copilot' | 'qwen' | 'pi' | 'acp' | 'command' | 'scripted'
  max_concurrency: number
  budget_run_cents: number | null
  budget_day_cents: number | null
  budget_month_cents: number | null
  plan_approval: 'always' | 'by_risk' | 'never'
  merge_policy: 'manual' | 'ask' | 'auto_within_limits' | 'auto'
  denied_paths: string[]
  acceptance_required: boolean
  gate_failure_budget: number
  auto_merge_max_lines: number | null
  created_at: Date
  created_by: string | null
  reason: string | null
  isolation: 'none' | 'process' | 'box' | 'gvisor'
  when_issue_leaves: Generated<'stop' | 'finish'>
  rework_on_review: Generated<boolean>
  maintenance_schedule: Generated<'off' | 'daily' | 'weekly' | 'monthly'>
  maintenance_survey_cents: Generated<number>
  maintenance_month_cents: Generated<number>
  runner_labels: Generated<string[]>
  allowed_findings: Generated<string[]>
  model_tools: Generated<string[]>
  person_answers: Generated<string[]>
  review_by: Generated<string>
  review_model: string | null
  review_holds_merge: Generated<boolean>
}

export interface PracticeProjects {
  workspace_id: string
  person_id: string
  folder: string
  team_id: string
  story_id: string
  service_id: string
  source_id: string
  token_id: string | null
  runner_id: string | null
  alerted_at: Date | null
  held_by: string | null
  held_until: Date | null
  trouble: string | null
  removing_at: Date | null
  made_at: Date
}

export interface Proposals {
  id: string
  workspace_id: string
  team_id: string
  kind: 'maintenance_proposal' | 'strategy_proposal' | 'main_red_incident' | 'revert_approval'
  fingerprint: string
  title: string
  body: string
  story: ColumnType<unknown, string | null | undefined, string | null>
  status: 'open' | 'accepted' | 'declined' | 'lapsed'
  created_at: Date
  decided_at: Date | null
  incident_id: string | null
  alert_fingerprints: Generated<string[]>
}

export interface PullRequests {
  workspace_id: string
  repository: string
  number: number
  title: string
  body: string
  base: string
  branch: string
  head: string
  state: 'open' | 'merged' | 'closed'
  merge_commit: string | null
  run_id: string | null
  opened_at: Date
  ended_at: Date | null
}

export interface PushSubscriptions {
  id: string
  person_id: string
  session_id: string
  endpoint: string
  p256dh: string
  auth: string
  created_at: Date
}

export interface RateWindows {
  token_id: string
  used: number
  ends_at: Date
}

export interface Refusals {
  source_id: string
  hour: Date
  reason: string
  count: number
  last_at: Date
}

export interface ReportSettings {
  person_id: string
  hour: number
  time_zone: string
  by_chat: boolean
}

export interface RequirementReplies {
  id: string
  workspace_id: string
  requirement_id: string
  person_id: string
  channel: string
  source: string | null
  text: string
  response: string | null
  asks: ColumnType<unknown, string | null | undefined, string | null>
  outcome: 'done' | 'refused' | 'dismissed' | null
  outcome_text: string | null
  settled_at: Date | null
  created_at: Date
}

export interface Requirements {
  id: string
  workspace_id: string
  team_id: string
  slug: string
  text: string
  status: 'clarifying' | 'drafted' | 'closed'
  questions: ColumnType<ClarifyingQuestion[], string | undefined, string>
  splitter: string
  notes: ColumnType<unknown, string | undefined, string>
  submitted_by: string | null
  created_at: Date
  updated_at: Date
}

export interface RunEvents {
  workspace_id: string
  run_id: string
  seq: number
  at: Date
  type: string
  data: ColumnType<unknown, string, string>
  fence: number | null
  report: number | null
  phase: string | null
  stage: string | null
  attempt: number | null
}

export interface RunFiles {
  workspace_id: string
  run_id: string
  sha256: string
  stays: Generated<boolean>
}

export interface RunLog {
  workspace_id: string
  run_id: string
  position: number
  attempt: number
  at: Date
  text: string
  colours: string | null
}

export interface RunLogEnds {
  run_id: string
  workspace_id: string
  lines: number
  bytes: number
  fence: number
  chunk: number
  is_full: boolean
  swept: 'thinned' | 'removed' | null
}

export interface Runners {
  id: string
  workspace_id: string
  instance: string
  name: string
  version: string
  os: string
  arch: string
  slots: number
  labels: string[]
  features: string[]
  executors: ColumnType<RunnerExecutor[], string, string>
  isolation: ColumnType<Isolation, string, string>
  evidence_key: string
  token_id: string
  session: number
  boot: string
  state: 'pending' | 'active' | 'paused' | 'draining' | 'removed'
  told: 'pause' | 'drain' | null
  free: number
  drains: Generated<boolean>
  disk_free: number | null
  last_seen_at: Date
  left_at: Date | null
  made_at: Date
  registrations: Generated<number>
  refused_at: Date | null
  forgotten_at: Date | null
  team_ids: Generated<string[]>
  orders_given: Generated<number>
  reads_given: Generated<number>
  writes_given: Generated<number>
  git: ColumnType<unknown, string | null | undefined, string | null>
}

export interface Runs {
  id: string
  workspace_id: string
  team_id: string
  story_id: string | null
  key: string
  attempts: number
  budget_cents: number
  pull_request_url: string | null
  pull_request_number: number | null
  evidence: ColumnType<Evidence | null, string | null, string | null>
  created_at: Date
  phase: 'queued' | 'working' | 'waiting' | 'opening' | 'merging' | 'watching' | 'reverting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'
  wake_at: Date | null
  version: Generated<number>
  fence: Generated<number>
  policy_version: number | null
  memory: ColumnType<unknown, string | undefined, string>
  reason: string | null
  stuck_since: Date | null
  pull_request_looked_at: Date | null
  hidden: Generated<boolean>
  waits_for: string | null
  traceparent: string | null
  files_removed_at: Date | null
}

export interface ScimGroupMembers {
  workspace_id: string
  group_id: string
  person_id: string
}

export interface ScimGroups {
  id: string
  workspace_id: string
  display_name: string
  external_id: string | null
  role: 'owner' | 'admin' | 'member' | null
  created_at: Date
  updated_at: Date
}

export interface ScimTokens {
  id: string
  workspace_id: string
  name: string
  prefix: string
  digest: Buffer
  created_at: Date
  last_used_at: Date | null
  revoked_at: Date | null
}

export interface ScimUsers {
  workspace_id: string
  person_id: string
  user_name: string
  external_id: string | null
  given_name: string | null
  family_name: string | null
  display_name: string | null
  created_at: Date
  updated_at: Date
}

export interface ServiceMembers {
  workspace_id: string
  service_id: string
  person_id: string
}

export interface Services {
  id: string
  workspace_id: string
  team_id: string
  name: string
  repositories: ColumnType<unknown, string | undefined, string>
  observe_only: Generated<boolean>
  start_fixes: Generated<boolean>
  update_alerts: Generated<boolean>
  lowest_severity: Generated<'critical' | 'high' | 'medium' | 'low' | 'info'>
  hours: ColumnType<unknown, string | null | undefined, string | null>
  place_ids: string[] | null
  created_at: Date
  updated_at: Date
  deleted_at: Date | null
}

export interface Sessions {
  id: string
  person_id: string
  token: string
  ip_address: string | null
  user_agent: string | null
  expires_at: Date
  created_at: Date
  updated_at: Date
  method: string | null
  proven_at: Date | null
  through_provider: Generated<boolean>
}

export interface SignInAttempts {
  key: string
  attempts: number
  ends_at: Date
}

export interface SignInFollowUps {
  id: string
  person_id: string | null
  method: string | null
  request_id: string
  at: Date
  due_at: Date
  address: string | null
}

export interface SourceServices {
  workspace_id: string
  source_id: string
  service_id: string
}

export interface Sources {
  id: string
  workspace_id: string
  kind: 'generic' | 'grafana' | 'pagerduty' | 'sentry' | 'alertmanager' | 'datadog' | 'newrelic' | 'opsgenie' | 'cloudwatch' | 'azure_monitor' | 'statuspage' | 'uptime'
  name: string
  token: string
  secret: Buffer | null
  former_secret: Buffer | null
  former_until: Date | null
  settings: ColumnType<unknown, string | undefined, string>
  credentials: Buffer | null
  paused_at: Date | null
  deleted_at: Date | null
  created_at: Date
  updated_at: Date
}

export interface Stories {
  id: string
  workspace_id: string
  team_id: string
  key: string
  title: string
  description: string
  acceptance_criteria: ColumnType<AcceptanceCriterion[], string | undefined, string>
  demonstrate: string | null
  column_id: string
  draft: Generated<boolean>
  readiness_score: number
  size: 'xs' | 's' | 'm' | 'l' | 'xl' | null
  complexity: 'low' | 'medium' | 'high' | null
  class_of_service: Generated<'expedite' | 'fixed_date' | 'standard' | 'intangible'>
  tracker_platform: string | null
  tracker_key: string | null
  tracker_url: string | null
  created_at: Date
  updated_at: Date
  returned_note: string | null
  requirement_id: string | null
  approved_at: Date | null
  rejected_at: Date | null
  filed_by: string | null
  written_at: Date | null
  test_plan: string | null
  blocked_by: Generated<string[]>
  repositories: string[] | null
  blockers_unread: Generated<boolean>
  blockers_asked_at: Date | null
}

export interface StoryCounts {
  workspace_id: string
  team_id: string
  column_id: string
  draft: boolean
  size: string | null
  amount: number
}

export interface StoryViews {
  id: string
  workspace_id: string
  person_id: string
  team_id: string
  name: string
  filter: ColumnType<unknown, string, string>
}

export interface Surveys {
  workspace_id: string
  run_id: string
  team_id: string
  due_at: Date | null
  started_by: string | null
  commit: string | null
  proposals: Generated<number>
  left_out: Generated<number>
  touched: Generated<string[]>
}

export interface Sweeps {
  only_row: Generated<boolean>
  swept_at: Date
  spares_until: Date
}

export interface TeamRepositories {
  workspace_id: string
  team_id: string
  name: string
  host: string
  address: string
  branch: string
  connection_id: string | null
  remote_id: string | null
  url: string | null
  inside: Generated<'tools' | 'image' | 'devcontainer'>
  image: string | null
  main_commit: string | null
  main_state: 'green' | 'red' | 'kept' | null
}

export interface TeamTrackers {
  workspace_id: string
  team_id: string
  connection_id: string
  project_id: string
  project_key: string
  project_name: string
  project_url: string | null
  mapping: ColumnType<unknown, string | undefined, string>
  label: string | null
  bound_at: Date
}

export interface Teams {
  id: string
  workspace_id: string
  slug: string
  name: string
  description: string | null
  key_prefix: string
  paused_at: Date | null
  policy_version: number | null
  last_story_number: Generated<number>
  created_at: Date
  updated_at: Date | null
  main_red_since: Date | null
  deleted_at: Date | null
  paused_by: string | null
  pause_reason: string | null
  hidden: Generated<boolean>
}

export interface Tellings {
  id: string
  workspace_id: string
  incident_id: string
  what: 'opened' | 'found' | 'updated' | 'resolved'
  person_id: string | null
  place_id: string | null
  effect_id: string
  state: 'waiting' | 'sent' | 'refused' | 'skipped'
  reason: string | null
  created_at: Date
  settled_at: Date | null
}

export interface ToolRefusals {
  id: string
  workspace_id: string
  connection_id: string | null
  scope: string
  reason: 'unauthorized' | 'forbidden' | 'not_found' | 'conflict' | 'invalid'
  message: string
  times: Generated<number>
  first_at: Date
  last_at: Date
  probe_at: Date
  mended_at: Date | null
  source_id: string | null
}

export interface TwoFactors {
  id: string
  person_id: string
  secret: string
  backup_codes: string
  verified: Generated<boolean>
  failed_verification_count: Generated<number>
  locked_until: Date | null
}

export interface UptimeStates {
  source_id: string
  workspace_id: string
  next_at: Date
  status: 'up' | 'down'
  changed_at: Date
  signalled: boolean
  failures: number
  failing_since: Date | null
  last_at: Date | null
  last_error: string | null
}

export interface UsageLedger {
  workspace_id: string
  team_id: string
  run_id: string
  attempt: number
  fence: number
  report: number
  at: Date
  amount: string
  currency: string
  euro_rate: string
  euro_micros: number
  source: 'gateway' | 'agent' | null
  provider: string | null
  model: string | null
  input_tokens: number | null
  cache_read_tokens: number | null
  cache_write_tokens: number | null
  output_tokens: number | null
  price_table: string | null
}

export interface Verifications {
  id: string
  identifier: string
  value: string
  expires_at: Date
  created_at: Date
  updated_at: Date
}

export interface WebhookAttempts {
  workspace_id: string
  endpoint_id: string
  event_id: string
  attempt: number
  at: Date
  url: string
  signature: string
  status: number | null
  answer: string | null
  problem: string | null
  duration_ms: number
}

export interface WebhookDeliveries {
  workspace_id: string
  endpoint_id: string
  event_id: string
  type: string
  occurred_at: Date
  data: string
  sequence: number
  state: 'pending' | 'delivered' | 'failed'
  attempts: Generated<number>
  step: Generated<number>
  due_at: Date | null
}

export interface WebhookEndpoints {
  id: string
  workspace_id: string
  url: string
  description: string
  event_types: string[]
  team_ids: string[] | null
  secret: Buffer | null
  former_secret: Buffer | null
  former_until: Date | null
  state: 'active' | 'paused' | 'off'
  off_because: 'gone' | 'failing' | null
  failing_since: Date | null
  warned_at: Date | null
  not_before: Date | null
  node: string | null
  created_at: Date
  updated_at: Date
  deleted_at: Date | null
}

export interface WebhookSequences {
  workspace_id: string
  object: string
  last: number
}

export interface WorkOrders {
  workspace_id: string
  run_id: string
  fence: number
  attempt: number
  stage: string
  state: 'offered' | 'taken' | 'ended'
  holder: string | null
  lease_until: Date
  offered_at: Date
  taken_at: Date | null
  ended_at: Date | null
  job: Generated<'stage' | 'main_check' | 'adopt' | 'survey'>
  executor: string | null
  isolation: 'none' | 'process' | 'box' | 'gvisor' | null
  offered_until: Date | null
  runner_id: string | null
  session: number | null
  ask: string | null
  person_id: string | null
  labels: Generated<string[]>
  files: Generated<number>
  file_bytes: Generated<number>
  report_bytes: Generated<number>
}

export interface Workspaces {
  id: string
  slug: string
  name: string
  key_secret: Buffer
  created_at: Date
  deleted_at: Date | null
  checklist_put_away_at: Date | null
  chat_by_email: Generated<boolean>
  own_answers: Generated<boolean>
  approves_runners: Generated<boolean>
  networks: Generated<string[]>
  runner_networks: Generated<string[]>
  requires_single_sign_on: Generated<boolean>
}

export interface Tables {
  accounts: Accounts
  alerts: Alerts
  api_token_uses: ApiTokenUses
  api_tokens: ApiTokens
  attempt_evidence: AttemptEvidence
  attempts: Attempts
  audit_anchored: AuditAnchored
  audit_anchors: AuditAnchors
  audit_checkpoints: AuditCheckpoints
  audit_entries: AuditEntries
  audit_exports: AuditExports
  audit_key_changes: AuditKeyChanges
  audit_leaves: AuditLeaves
  audit_months: AuditMonths
  audit_news: AuditNews
  audit_nodes: AuditNodes
  audit_personal: AuditPersonal
  audit_stream: AuditStream
  audit_stream_positions: AuditStreamPositions
  audit_timestamps: AuditTimestamps
  audit_unsealed: AuditUnsealed
  backups: Backups
  chat_channels: ChatChannels
  chat_link_codes: ChatLinkCodes
  chat_links: ChatLinks
  chat_messages: ChatMessages
  chat_turns: ChatTurns
  columns: Columns
  connection_pauses: ConnectionPauses
  connection_writes: ConnectionWrites
  connections: Connections
  day_spend: DaySpend
  decision_effects: DecisionEffects
  decision_snoozes: DecisionSnoozes
  decisions: Decisions
  declined_suggestions: DeclinedSuggestions
  deliveries: Deliveries
  delivery_keys: DeliveryKeys
  device_codes: DeviceCodes
  effects: Effects
  former_alerts: FormerAlerts
  github_apps: GithubApps
  hook_deliveries: HookDeliveries
  idempotency_keys: IdempotencyKeys
  incident_events: IncidentEvents
  incidents: Incidents
  instance: Instance
  intake: Intake
  invalidations: Invalidations
  invitations: Invitations
  kept_files: KeptFiles
  kept_totals: KeptTotals
  key_counters: KeyCounters
  last_writes: LastWrites
  local_work: LocalWork
  managed_resources: ManagedResources
  memberships: Memberships
  migrations: Migrations
  mirrored_stories: MirroredStories
  mirrors: Mirrors
  night_reports: NightReports
  nodes: Nodes
  notification_settings: NotificationSettings
  notifications: Notifications
  passkeys: Passkeys
  pending_counts: PendingCounts
  people: People
  places: Places
  policies: Policies
  practice_projects: PracticeProjects
  proposals: Proposals
  pull_requests: PullRequests
  push_subscriptions: PushSubscriptions
  rate_windows: RateWindows
  refusals: Refusals
  report_settings: ReportSettings
  requirement_replies: RequirementReplies
  requirements: Requirements
  run_events: RunEvents
  run_files: RunFiles
  run_log: RunLog
  run_log_ends: RunLogEnds
  runners: Runners
  runs: Runs
  scim_group_members: ScimGroupMembers
  scim_groups: ScimGroups
  scim_tokens: ScimTokens
  scim_users: ScimUsers
  service_members: ServiceMembers
  services: Services
  sessions: Sessions
  sign_in_attempts: SignInAttempts
  sign_in_follow_ups: SignInFollowUps
  source_services: SourceServices
  sources: Sources
  stories: Stories
  story_counts: StoryCounts
  story_views: StoryViews
  surveys: Surveys
  sweeps: Sweeps
  team_repositories: TeamRepositories
  team_trackers: TeamTrackers
  teams: Teams
  tellings: Tellings
  tool_refusals: ToolRefusals
  two_factors: TwoFactors
  uptime_states: UptimeStates
  usage_ledger: UsageLedger
  verifications: Verifications
  webhook_attempts: WebhookAttempts
  webhook_deliveries: WebhookDeliveries
  webhook_endpoints: WebhookEndpoints
  webhook_sequences: WebhookSequences
  work_orders: WorkOrders
  workspaces: Workspaces
}
