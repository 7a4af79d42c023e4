import { type TSchema, Type } from 'typebox'
import { type AuditEvent, exportFormats } from './audit.ts'
import { connectionKinds } from './connection-kinds.ts'
import { DecisionEffect, decisionKinds, optionActions } from './decision.ts'
import { isolationLevels } from './isolation.ts'
import { MergeRead } from './merge-read.ts'
import { notificationKinds } from './notifications.ts'
import { roles } from './roles.ts'
import { failureClasses, gateResults, runStages, runStatuses } from './run.ts'
import { SecondReview } from './second-review.ts'
import { OnCallSettings } from './service.ts'
import { anyRecordOf, cents, nullable, type Of, oneOf } from './shapes.ts'
import { alertStatuses, severities } from './signal.ts'
import { sourceKinds } from './source.ts'
import { classesOfService, columnRoles } from './story.ts'
import { executor, presets } from './team.ts'
import { permissions } from './token.ts'

/**
 * What an audit entry of each event says in addition to who, when and about what. Every fact is a field with a closed
 * set of values; `reason` and `note` hold what a person or an outside tool said. `channel`, `origin` and `truncated`
 * come with every entry and are not among these.
 *
 * Entries are forever: a field that is written no more goes from here, and the app still tells the entries that have
 * it.
 */

const only = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

const text = Type.String()
const whole = Type.Integer()
const changes = Type.Array(only({ field: text, before: Type.Unknown(), after: Type.Unknown() }))
const said = { reason: Type.Optional(text) }
const suggestion = only({ maxLines: whole, decisions: Type.Array(text) })
const kind = oneOf(decisionKinds)
const severity = oneOf(severities)
const role = oneOf(roles)
const classOfService = oneOf(classesOfService)
const stage = oneOf(runStages)
/** Where a story was put when it was filed. */
const column = Type.Optional(oneOf(columnRoles))

/**
 * What goes with age. Of `run_logs` all lines do, of `run_log_lines` those in the middle. `finished_work` is what was
 * needed to get things done: work orders, calls to tools and their results.
 */
export const retentionKinds = [
  'run_logs',
  'run_log_lines',
  'run_files',
  'finished_work',
  'deliveries',
  'alerts',
  'notifications',
  'exports',
  'checkpoints',
  'webhooks',
  'tool_deliveries',
] as const
export type RetentionKind = (typeof retentionKinds)[number]

/** Why a person is asked before a change is merged; in this order they are told. */
export const mergeReasons = [
  'policy',
  'lines',
  'gates',
  'main',
  'unsigned',
  'findings',
  'spec',
  'review',
  'race',
] as const

/** Why a decision no longer needs an answer. */
const cancelCauses = [
  'run_stopped',
  'story_left',
  'team_deleted',
  'reviewed',
  'merged_elsewhere',
  'closed_elsewhere',
  'conflicted',
  'main_green',
  'merge_kept',
  'incident_resolved',
] as const

/** What moved a run. */
const runCauses = [
  'started',
  'budget_reached',
  'lease_lost',
  'overran',
  'begun',
  'session_known',
  'spec_pinned',
  'plan_ready',
  'scope_change_proposed',
  'spec_failed',
  'question_asked',
  'change_ready',
  'gates_ran',
  'finished',
  'main_checked',
  'failed',
  'usage',
  'pull_request_opened',
  'pull_request_refused',
  'merged',
  'merge_refused',
  'merged_elsewhere',
  'closed_elsewhere',
  'main_green',
  'main_red',
  'main_check_wanted',
  'main_look_wanted',
  'conflicted',
  'revert_opened',
  'revert_refused',
  'no_runner',
  'no_git_host',
  'agent_missing',
  'plan_approved',
  'changes_requested',
  'exception_granted',
  'given_up',
  'budget_raised',
  'spec_restored',
  'attempt_wanted',
  'answered',
  'merge_approved',
  'other_chosen',
  'revert_approved',
  'merge_kept',
  'decision_expired',
  'begun_locally',
  'handed_off',
  'given_back',
  'abandoned',
  'stopped',
  'retried',
  'story_left',
] as const

const signInMethod = oneOf([
  'password',
  'password and code',
  'password and backup code',
  'passkey',
  'identity provider',
  'device code',
])

/** One schema an event. Where an event has several shapes, `change`, `wrote` or `which` tells them apart. */
export const auditDetails = {
  decision_raised: only({ kind, recommendation: text }),
  decision_resolved: only({
    kind,
    optionId: text,
    action: oneOf(optionActions),
    note: nullable(text),
    /** The answer came by a token of the person whose own coding agent had asked. */
    ownQuestion: Type.Optional(Type.Literal(true)),
    effects: Type.Array(Type.Omit(DecisionEffect, ['message'])),
  }),
  decision_expired: only({ kind }),
  decision_cancelled: only({ kind, cause: oneOf(cancelCauses) }),
  decision_superseded: only({ kind }),
  /** Put off by a person, for themselves alone; null: back before its time. */
  decision_snoozed: only({ kind, until: nullable(text) }),

  policy_changed: only({
    ...{ version: whole, changes, ...said },
    /** The suggestion that a person accepted: the approved merges that it follows from, by their decisions. */
    suggestion: Type.Optional(suggestion),
  }),
  /** A suggestion to change it. */
  policy_suggestion_declined: only({ version: whole, suggestion, ...said }),
  policy_evaluated: Type.Union([
    only({
      question: oneOf(['plan', 'paths', 'merge']),
      answer: oneOf(['yes', 'ask']),
      version: whole,
      decision: Type.Optional(kind),
      /** Of a merge: what keeps it from being made without a person. */
      because: Type.Optional(Type.Array(oneOf(mergeReasons))),
    }),
    only({
      question: Type.Literal('access'),
      path: text,
      access: oneOf(['read', 'write']),
      rule: text,
      stage,
    }),
    only({
      question: oneOf(['merge', 'start', 'retry']),
      rule: text,
      lines: Type.Optional(whole),
      limit: Type.Optional(whole),
      attempts: Type.Optional(whole),
      pullRequest: Type.Optional(whole),
      ...said,
    }),
  ]),

  team_created: only({ keyPrefix: text, preset: Type.Optional(oneOf(presets)) }),
  team_changed: only({ changes }),
  team_paused: only(said),
  team_resumed: only({ changes: Type.Optional(changes), ...said }),
  team_deleted: only({}),
  pull_request_merged: Type.Union([
    /** By a person, in the app: a pull request that takes a merge back. */
    only({
      number: whole,
      repository: text,
      branch: text,
      commit: Type.Optional(text),
      ...said,
    }),
    /** By the service, for a run: what was read at the host. */
    only({
      number: whole,
      /** Of a run in several repositories: which of them. */
      repository: Type.Optional(text),
      /** The merge, the commit that was verified and what it was measured against, and where the branch stood. */
      commit: text,
      head: text,
      base: text,
      onto: nullable(text),
      /** Of what was verified, and of the merge; null where the host does not tell. */
      tree: text,
      mergedTree: nullable(text),
      /** How the two were compared. */
      heldBy: oneOf(['tree', 'paths', 'parents', 'none']),
      /** What was read before, and let it be made; null: someone else made it over there. */
      read: Type.Optional(nullable(MergeRead)),
      ...said,
    }),
  ]),

  run_started: only({
    story: text,
    budgetCents: cents,
    policyVersion: Type.Optional(whole),
    executor,
    /** A person works on it, on their own machine. */
    local: Type.Optional(Type.Literal(true)),
    /** Two agents work on it, in this order. */
    race: Type.Optional(Type.Array(executor)),
  }),
  local_work_reported: Type.Union([
    only({ report: Type.Literal('progress'), stage: Type.Optional(stage), message: text }),
    only({
      report: Type.Literal('evidence'),
      criteria: Type.Array(only({ id: text, result: oneOf(gateResults) })),
      commands: Type.Array(only({ command: text, exitCode: whole })),
    }),
    only({
      report: Type.Literal('hand_off'),
      summary: text,
      branch: Type.Optional(text),
      commit: Type.Optional(text),
      pullRequest: Type.Optional(text),
    }),
  ]),
  run_state_changed: only({
    cause: oneOf(runCauses),
    status: oneOf(runStatuses),
    stage,
    attempt: whole,
    changes,
    failureClass: Type.Optional(oneOf(failureClasses)),
    costCents: Type.Optional(cents),
    /** SHA-256 of the signed evidence, as an envelope. */
    evidence: Type.Optional(text),
    /** Of a run in several repositories: which of them the evidence is about. */
    repository: Type.Optional(text),
    /** Who looked at the main branch after the merge: the runner that made the change, or another. */
    mainCheckedBy: Type.Optional(oneOf(['maker', 'another'])),
    /** SHA-256 of each statement that was signed with it: one per gate, and the summary. */
    statements: Type.Optional(Type.Array(text)),
    /** What the second review came to; its findings are in the evidence. */
    secondReview: Type.Optional(
      only({
        result: SecondReview.properties.result,
        agent: SecondReview.properties.agent,
        ...{ high: whole, medium: whole, low: whole },
      }),
    ),
    ...said,
  }),

  requirement_submitted: only({ questions: Type.Array(text), drafts: Type.Array(text), splitter: text }),
  requirement_answered: only({ changes }),
  requirement_replied: only({
    note: text,
    /** Done only when its author confirms it: then the decision or the run has an entry of its own. */
    asks: nullable(
      only({ type: oneOf(['answer', 'stop', 'retry']), key: text, optionId: Type.Optional(text) }),
    ),
  }),

  story_changed: Type.Union([
    only({ change: Type.Literal('moved'), changes, note: Type.Optional(text) }),
    only({ change: Type.Literal('edited'), changes }),
    only({
      change: Type.Literal('drafted'),
      requirement: Type.Optional(text),
      splitter: Type.Optional(text),
    }),
    only({ change: Type.Literal('approved'), changes }),
    only({ change: Type.Literal('rejected'), changes, note: Type.Optional(text) }),
    only({ change: Type.Literal('write_ordered'), requirement: text }),
    only({
      change: Type.Literal('mirrored'),
      trackerKey: nullable(text),
      changes: Type.Optional(changes),
      column,
    }),
    only({ change: Type.Literal('created') }),
    only({
      change: Type.Literal('issue_left'),
      because: oneOf(['closed', 'moved', 'deleted']),
      trackerKey: text,
      changes,
    }),
    only({
      change: Type.Literal('conflict_settled'),
      keep: oneOf(['ours', 'theirs']),
      fields: Type.Array(text),
    }),
    only({ change: Type.Literal('filed_for_incident'), incident: text, classOfService, column }),
    only({ change: Type.Literal('filed_from_proposal'), classOfService, column }),
  ]),
  story_written: only({
    requirement: nullable(text),
    /** null: no tracker is connected, and the story is kept here. */
    trackerKey: nullable(text),
    url: Type.Optional(text),
    changes,
  }),
  view_changed: only({ change: oneOf(['saved', 'replaced', 'removed']), changes }),
  tracker_written: Type.Union([
    only({ wrote: Type.Literal('comment'), issue: text, summary: Type.Optional(text), ...said }),
    only({
      wrote: Type.Literal('status'),
      issue: text,
      before: Type.Optional(text),
      after: Type.Optional(text),
      tries: Type.Optional(whole),
      ...said,
    }),
    only({ wrote: Type.Literal('created'), issue: text, classOfService }),
    only({ wrote: Type.Literal('edited'), issue: text, fields: Type.Array(text) }),
  ]),

  runner_changed: only({
    change: oneOf([
      'connected',
      'left',
      'paused',
      'resumed',
      'draining',
      'removed',
      'approved',
      'rejected',
      'forgotten',
      'refused',
      'pinned',
    ]),
    /** Why it was refused: someone came under its name with another key. The token is in `origin`. */
    cause: Type.Optional(Type.Literal('foreign_key')),
    /** Slugs of the teams that it works for from now on; none: all of them. */
    teams: Type.Optional(Type.Array(text)),
    /** Of what has connected. */
    version: Type.Optional(text),
    executors: Type.Optional(Type.Array(executor)),
    isolation: Type.Optional(oneOf(isolationLevels)),
    slots: Type.Optional(whole),
    /** Keys of the runs whose work was handed back. */
    handedBack: Type.Optional(Type.Array(text)),
  }),

  survey_changed: Type.Union([
    only({
      change: Type.Literal('started'),
      /** `push`: people have moved a main branch on, and its gates are run. */
      cause: oneOf(['schedule', 'person', 'push']),
      budgetCents: cents,
      policyVersion: whole,
      executor,
    }),
    /** The runner that had it has gone: another one is to take it. */
    only({
      change: Type.Literal('offered_again'),
      cause: oneOf(['lease_lost', 'handed_back']),
      attempt: whole,
    }),
    only({
      change: Type.Literal('ended'),
      status: oneOf(['succeeded', 'failed', 'stopped']),
      costCents: cents,
      /** What was raised as a decision, and what was known already or could not be used. */
      proposals: whole,
      leftOut: whole,
      /** What the agent changed although it was only to look. */
      touched: Type.Optional(Type.Array(text)),
      failureClass: Type.Optional(oneOf(failureClasses)),
      ...said,
    }),
  ]),
  connection_changed: Type.Union([
    only({ change: Type.Literal('connected'), kind: oneOf(connectionKinds), baseUrl: text, account: text }),
    only({ change: Type.Literal('changed'), changes }),
    /** The credentials are not recorded; that they were replaced is, and whose they are. */
    only({ change: Type.Literal('credentials_replaced'), changes }),
    only({ change: Type.Literal('webhook_secret_replaced'), formerSecretUntil: text }),
    only({ change: Type.Literal('webhook_made'), scope: text }),
    /** By the service: turned on again, sent again, or renewed over there. */
    only({ change: Type.Literal('webhook_mended'), note: text }),
    /** A GitHub App, from the first click to its key; once it is installed, it is connected. */
    only({ change: Type.Literal('app_requested'), baseUrl: text }),
    only({ change: Type.Literal('app_created'), baseUrl: text, app: text }),
    only({ change: Type.Literal('app_removed') }),
    only({ change: Type.Literal('tested'), missing: Type.Array(text), ...said }),
    /** The tool refuses something since then, until it is mended: the account, a place there, or one request. */
    only({ change: Type.Literal('refused'), scope: text, reason: text }),
    only({ change: Type.Literal('mended'), scope: text }),
    only({ change: Type.Literal('disconnected') }),
  ]),
  service_changed: Type.Union([
    only({ change: Type.Literal('created'), settings: OnCallSettings }),
    only({ change: Type.Literal('changed'), changes, ...said }),
    only({ change: Type.Literal('deleted') }),
  ]),
  signal_source_changed: Type.Union([
    only({ change: Type.Literal('added'), kind: oneOf(sourceKinds), services: Type.Array(text) }),
    only({ change: Type.Literal('changed'), changes }),
    only({ change: oneOf(['deleted', 'paused', 'resumed', 'former secret ended']) }),
    only({ change: Type.Literal('secret rotated'), formerSecretUntil: text }),
    only({ change: Type.Literal('topic confirmed'), topicArn: text }),
    only({ change: Type.Literal('topic not confirmed'), topicArn: text, reason: text }),
    /** PagerDuty or Opsgenie refuses to have alerts updated, until it is mended: all of them, or one request. */
    only({ change: Type.Literal('refused'), scope: text, reason: text }),
    only({ change: Type.Literal('mended'), scope: text }),
  ]),
  signal_received: only({
    kind: oneOf(sourceKinds),
    delivery: text,
    alerts: whole,
    told: Type.Array(only({ title: text, status: oneOf(alertStatuses), severity })),
    test: Type.Optional(Type.Literal(true)),
    problem: Type.Optional(text),
    handshake: Type.Optional(text),
  }),

  incident_opened: only({ service: text, severity, alerts: whole }),
  incident_updated: Type.Union([
    only({ change: Type.Literal('alerts'), service: text, severity, joined: whole, recovered: whole }),
    only({
      change: Type.Literal('investigated'),
      finding: oneOf(['suspect_merge', 'code', 'not_code', 'unknown']),
      confidence: Type.Number(),
      commit: Type.Optional(text),
      pullRequest: Type.Optional(nullable(whole)),
      run: Type.Optional(nullable(text)),
    }),
    only({ change: oneOf(['fix_started', 'story_filed']), story: text }),
    only({
      change: Type.Literal('revert_opened'),
      pullRequest: only({ number: whole, url: text }),
      commit: text,
    }),
    only({ change: Type.Literal('revert_not_opened'), commit: text, reason: text }),
    only({ change: oneOf(['merge_kept', 'left']) }),
    only({ change: Type.Literal('acknowledged') }),
    only({ change: oneOf(['taken', 'severity_changed']), changes }),
    only({ change: Type.Literal('noted'), note: text }),
    only({ change: Type.Literal('e-mail refused'), member: text, reason: text }),
  ]),
  incident_resolved: only({ service: text, severity, ...said }),
  alert_updated_in_source: only({
    what: oneOf(['acknowledge', 'resolve']),
    tool: text,
    source: text,
    senderId: text,
    incident: text,
    ...said,
  }),

  webhook_endpoint_changed: Type.Union([
    only({
      change: Type.Literal('added'),
      /** Of the address only the host: the rest of it may be a secret. */
      host: text,
      events: Type.Array(text),
      /** Null: all of them. */
      teams: nullable(Type.Array(text)),
    }),
    only({ change: Type.Literal('changed'), changes }),
    only({ change: oneOf(['paused', 'resumed', 'removed', 'former secret ended']) }),
    only({ change: Type.Literal('secret rotated'), formerSecretUntil: text }),
    only({ change: Type.Literal('tested'), status: nullable(whole), ...said }),
    only({ change: Type.Literal('resent'), message: text }),
    only({ change: Type.Literal('replayed'), since: text, count: whole }),
    only({ change: Type.Literal('turned off'), cause: oneOf(['gone', 'failing']) }),
  ]),

  audit_exported: only({
    format: oneOf(exportFormats),
    from: nullable(text),
    to: nullable(text),
    filters: anyRecordOf(text),
    count: whole,
    digest: Type.Optional(text),
    truncated: Type.Boolean(),
    ...said,
  }),
  audit_verified: only({
    entries: whole,
    checkpoints: whole,
    findings: whole,
    first: Type.Optional(Type.Array(text)),
  }),

  token_created: only({
    prefix: text,
    permissions: Type.Array(oneOf(permissions)),
    /** It may manage the configuration. */
    manages: Type.Optional(Type.Literal(true)),
    expiresAt: text,
    owner: text,
  }),
  token_revoked: only({ prefix: text, ...said }),

  member_joined: only({ role, invitation: Type.Optional(text) }),
  member_removed: only({
    cause: oneOf(['left', 'removed']),
    role,
    tokens: Type.Optional(Type.Array(text)),
    /** How many ended with it, of a person who is in no other workspace. */
    sessions: Type.Optional(whole),
  }),
  member_role_changed: only({ changes }),
  member_renamed: only({ name: text }),
  member_invited: only({ role }),
  invitation_revoked: only({}),
  /**
   * On request. The entity is the person, by id alone. So many values of this log are gone, and a digest of their
   * references says which: SHA-256 of the references in order, base64.
   */
  person_erased: only({
    erasure: text,
    values: whole,
    digest: nullable(text),
    /** What was done to a database that a backup had set back to before it. */
    again: Type.Optional(Type.Literal(true)),
  }),

  signed_in: only({ method: signInMethod }),
  sign_in_failed: only({ method: signInMethod }),
  signed_out: only({}),
  identity_confirmed: only({ method: signInMethod }),
  session_revoked: Type.Union([
    only({ which: Type.Literal('one'), session: text }),
    only({ which: Type.Literal('all_others') }),
  ]),
  sign_in_method_changed: only({
    method: oneOf([
      'password',
      'passkey',
      'authenticator app',
      'backup codes',
      'identity provider',
      'passkeys and authenticator app',
    ]),
    action: oneOf(['added', 'changed', 'removed', 'reset', 'link handed out']),
  }),
  chat_linked: only({ tool: text, user: text, name: text, by: oneOf(['link', 'email']) }),
  notifications_changed: Type.Union([
    only({ change: Type.Literal('ways'), kind: oneOf(notificationKinds), changes }),
    only({ change: oneOf(['push_turned_on', 'push_turned_off']) }),
    /** When the night shift report is sent, and whether in a chat tool. */
    only({ change: Type.Literal('report'), changes }),
  ]),

  workspace_created: only({}),
  workspace_changed: only({ changes, ...said }),
  workspace_deleted: only({}),
  workspace_restored: only({
    backup: Type.Optional(text),
    takenAt: text,
    /** How many entries the log had then, and the signed note that says so. */
    entries: whole,
    signedNote: text,
    /** Messages to people that waited to be sent, and were not. */
    withdrawn: whole,
  }),
  secret_key_rotated: Type.Union([
    /** The log had so many entries. Both keys have signed the note, which names the key its checkpoints have from here on. */
    only({ change: Type.Literal('started'), entries: whole, signedNote: text }),
    /** How many stored secrets of the installation were encrypted again. */
    only({ change: Type.Literal('finished'), resealed: whole }),
  ]),
  /** What was older than `before` and is gone: rows, or lines of logs. */
  retention_applied: only({ kind: oneOf(retentionKinds), removed: whole, before: text }),
  /** By an identity provider, and how owners let one in. Joining, leaving and another role are different changes. */
  provisioning_changed: Type.Union([
    only({ change: oneOf(['token_created', 'token_revoked']), prefix: text }),
    only({
      change: oneOf(['user_created', 'user_changed', 'user_deleted']),
      fields: Type.Optional(Type.Array(text)),
    }),
    only({
      change: oneOf(['group_created', 'group_changed', 'group_deleted']),
      fields: Type.Optional(Type.Array(text)),
      /** Ids of people. */
      added: Type.Optional(Type.Array(text)),
      removed: Type.Optional(Type.Array(text)),
    }),
    only({ change: Type.Literal('group_mapped'), changes }),
  ]),
  /** A month of this log, such as 2026-05, is in that file and no longer in the database. The signed note covers it. */
  audit_month_archived: only({ month: text, entries: whole, file: text, signedNote: text }),
  /** A copy of the whole installation, so of this workspace too. `part` all: the database and SECRET_KEY. */
  backup_created: only({
    backup: text,
    cause: oneOf(['schedule', 'operator']),
    part: oneOf(['all', 'database', 'secrets']),
    /** The folder; absent: it went to standard output. */
    place: Type.Optional(text),
    encrypted: Type.Boolean(),
    /** The machine that made it. */
    host: text,
    takenAt: Type.Optional(text),
    bytes: Type.Optional(whole),
    rows: Type.Optional(whole),
    ...said,
  }),
} satisfies Record<AuditEvent, TSchema>

/** `Details['team_paused']` is what an entry of that event says. */
export type Details = { [E in AuditEvent]: Of<(typeof auditDetails)[E]> }
