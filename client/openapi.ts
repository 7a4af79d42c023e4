// Generated from the OpenAPI document by `npm run generate`.

/** A value that may be joined by others later: the API only adds, and a program should be ready for it. */
type Open<Known extends string> = Known | (string & {})

export type ErrorCode = Open<'invalid_request' | 'invalid_parameter' | 'unknown_parameter' | 'invalid_cursor' | 'invalid_option' | 'idempotency_key_reused' | 'invalid_alert' | 'missing_token' | 'invalid_token' | 'token_expired' | 'invalid_proof' | 'not_signed_in' | 'sign_in_failed' | 'sign_in_again' | 'proof_required' | 'address_not_allowed' | 'single_sign_on_required' | 'cross_site' | 'insufficient_scope' | 'insufficient_role' | 'own_question' | 'person_required' | 'https_required' | 'not_found' | 'team_not_found' | 'requirement_not_found' | 'story_not_found' | 'run_not_found' | 'decision_not_found' | 'service_not_found' | 'source_not_found' | 'connection_not_found' | 'delivery_not_found' | 'webhook_not_found' | 'message_not_found' | 'incident_not_found' | 'unknown_address' | 'board_not_found' | 'invitation_not_found' | 'session_not_found' | 'runner_not_found' | 'file_not_found' | 'export_not_found' | 'method_not_allowed' | 'request_timeout' | 'conflict' | 'changed_meanwhile' | 'decision_already_resolved' | 'decision_not_pending' | 'session_alive' | 'session_over' | 'runner_removed' | 'challenge_over' | 'proof_refused' | 'instance_taken' | 'runner_limit' | 'outdated' | 'report_gap' | 'endpoint_removed' | 'file_limit' | 'report_limit' | 'payload_too_large' | 'unsupported_media_type' | 'expectation_failed' | 'hash_mismatch' | 'upgrade_required' | 'rate_limited' | 'tool_refused' | 'headers_too_large' | 'internal_error' | 'tool_unavailable' | 'service_unavailable'>

export type AcceptanceCriterion = {
  id: string
  text: string
  status: Open<'unverified' | 'passed' | 'failed'>
  verifiedAt: string | null
}

export type Attempt = {
  attempt: number
  status: Open<'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'>
  stage: Open<'planning' | 'implementing' | 'verifying' | 'handing_off'>
  /** the coding agent */
  executor: Open<'claude_code' | 'codex' | 'gemini' | 'opencode' | 'copilot' | 'qwen' | 'pi' | 'acp' | 'command' | 'scripted'>
  /** euro cents */
  costCents: number
  failureClass: Open<'transient' | 'persistent' | 'policy' | 'budget' | 'gate' | 'dependency'> | null
  error: string | null
  verification: Verification | null
  startedAt: string | null
  completedAt: string | null
}

export type AuditEntry = {
  id: string
  /** ISO 8601, UTC, milliseconds */
  timestamp: string
  actor: {
    type: Open<'human' | 'service' | 'system'>
    name: string
    userId: string | null
  }
  team: string | null
  runKey: string | null
  event: Open<'decision_resolved' | 'decision_raised' | 'decision_expired' | 'decision_cancelled' | 'decision_superseded' | 'decision_snoozed' | 'policy_changed' | 'policy_suggestion_declined' | 'policy_evaluated' | 'team_created' | 'team_changed' | 'team_paused' | 'team_resumed' | 'team_deleted' | 'pull_request_merged' | 'run_started' | 'run_state_changed' | 'requirement_submitted' | 'requirement_answered' | 'requirement_replied' | 'story_changed' | 'story_written' | 'view_changed' | 'tracker_written' | 'local_work_reported' | 'runner_changed' | 'survey_changed' | 'connection_changed' | 'service_changed' | 'signal_source_changed' | 'signal_received' | 'incident_opened' | 'incident_updated' | 'incident_resolved' | 'alert_updated_in_source' | 'webhook_endpoint_changed' | 'audit_exported' | 'audit_verified' | 'token_created' | 'token_revoked' | 'member_joined' | 'member_removed' | 'member_role_changed' | 'member_renamed' | 'member_invited' | 'invitation_revoked' | 'person_erased' | 'signed_in' | 'sign_in_failed' | 'signed_out' | 'identity_confirmed' | 'session_revoked' | 'sign_in_method_changed' | 'notifications_changed' | 'chat_linked' | 'workspace_created' | 'workspace_changed' | 'workspace_deleted' | 'workspace_restored' | 'secret_key_rotated' | 'retention_applied' | 'provisioning_changed' | 'audit_month_archived' | 'backup_created'>
  result: Open<'success' | 'failure' | 'denied'>
  entity: {
    type: Open<'workspace' | 'team' | 'policy' | 'requirement' | 'story' | 'draft' | 'view' | 'run' | 'decision' | 'incident' | 'alert' | 'runner' | 'survey' | 'connection' | 'service' | 'signal_source' | 'webhook_endpoint' | 'token' | 'member' | 'invitation' | 'group' | 'audit_export' | 'audit_log'>
    id: string
    name: string | null
  }
  /** channel, changes [{field, before, after}], note, reason, origin, and keys of the event */
  details: Record<string, unknown>
}

export type Decision = {
  /** decision key */
  key: string
  kind: Open<'plan_approval' | 'policy_exception' | 'clarification' | 'budget_stop' | 'verification_failed' | 'gate_failure' | 'diff_guard' | 'repeated_gate_failure' | 'merge_approval' | 'revert_approval' | 'main_red_incident' | 'maintenance_proposal' | 'strategy_proposal' | 'scope_change'>
  /** the lowest role that can answer */
  authority: Open<'owner' | 'admin' | 'member'>
  title: string
  /** Markdown: the reasoning */
  body: string
  status: Open<'pending' | 'resolved' | 'expired' | 'cancelled' | 'superseded'>
  /** id of the recommended option */
  recommendation: string
  options: DecisionOption[]
  /** team slug: lowercase words joined by hyphens */
  team: string
  story: {
    /** story key: <TEAM_KEY_PREFIX>-<number> */
    key: string
    title: string
  } | null
  runKey: string | null
  resolution: {
    optionId: string
    note: string | null
  } | null
  resolvedVia: Open<'app' | 'slack' | 'mcp' | 'api'> | null
  resolvedAt: string | null
  expiresAt: string | null
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
}

export type DecisionAnswer = {
  /** id of one of the decision's options */
  optionId: string
  note?: string | null
}

export type DecisionEffect = {
  type: Open<'implementation_started' | 'run_continued' | 'answer_recorded' | 'exception_granted' | 'budget_raised' | 'attempt_started' | 'spec_restored' | 'run_ended' | 'story_returned' | 'merge_started' | 'revert_started' | 'merge_kept' | 'story_filed' | 'requirement_submitted' | 'proposal_declined' | 'decision_raised'>
  status: Open<'done' | 'queued' | 'failed'>
  target: {
    type: Open<'run' | 'story' | 'decision' | 'team'>
    id: string
  }
  message: string
}

export type DecisionOption = {
  id: string
  label: string
  action: Open<'approve_plan' | 'request_changes' | 'allow_once' | 'reject' | 'raise_budget' | 'abandon' | 'revert_spec_and_retry' | 'retry' | 'answer' | 'merge' | 'open_revert' | 'accept_proposal' | 'decline_proposal'>
  recommended: boolean
}

export type Evidence = {
  commit: string
  gates: Gate[]
  criteria: Array<{
    id: string
    result: Open<'passed' | 'failed' | 'skipped'>
    proof: string
  }>
  changes: {
    files: number
    additions: number
    deletions: number
    paths: string[]
  }
  demonstration: string | null
  /** of a run in several repositories: those that it changed, by name */
  repositories?: Array<{
    name: string
    commit: string
    files: number
    additions: number
    deletions: number
  }>
  /** what another coding agent found in the change; no gate */
  secondReview?: {
    /** unreadable: the agent answered, and the answer could not be used */
    result: Open<'reviewed' | 'not_reviewed' | 'unreadable'>
    agent: Open<'claude_code' | 'codex' | 'gemini' | 'opencode' | 'copilot' | 'qwen' | 'pi' | 'acp' | 'command' | 'scripted'> | null
    model: string | null
    says: string | null
    findings: Array<{
      severity: Open<'high' | 'medium' | 'low'>
      file: string | null
      line: number | null
      says: string
    }>
  }
  /** ISO 8601, UTC, milliseconds */
  collectedAt: string
}

export type ExportProof = {
  workspace: string
  exportId: string
  /** a signed note: origin, tree size, root, signature */
  checkpoint: string
  /** the key of the log */
  key: string
  /** signed notes, each by an old and a new key of the log, that lead from one to the other */
  keyChanges?: string[]
  /** in the order of the file */
  entries: Array<{
    id: string
    position: number
    hash: string
    /** personal values of the entry, each sealed as the text personal: and the SHA-256, in base64url, of its salt followed by its JSON; such an entry was sealed with v: 2 */
    personal?: Array<{
      path: string[]
      /** 32 bytes, base64url */
      salt: string
    } | {
      path: string[]
      /** SHA-256, base64url */
      ref: string
    }>
  }>
  /** the audit_exported entry; its details hold the count of the entries and a digest, the SHA-256 of their ids in the order of the file, each followed by a line feed, in base64 */
  record: {
    position: number
    entry: AuditEntry
    /** personal values of the entry, each sealed as the text personal: and the SHA-256, in base64url, of its salt followed by its JSON; such an entry was sealed with v: 2 */
    personal?: Array<{
      path: string[]
      /** 32 bytes, base64url */
      salt: string
    } | {
      path: string[]
      /** SHA-256, base64url */
      ref: string
    }>
  }
  /** hashes of the subtrees between them */
  nodes: Array<{
    from: number
    to: number
    hash: string
  }>
}

export type Gate = {
  name: string
  result: Open<'passed' | 'failed' | 'skipped'>
  summary: string
}

export type Policy = {
  preset: Open<'trial' | 'supervised' | 'balanced' | 'autonomous'>
  /** true when a single setting departs from the preset */
  custom: boolean
  version: number
  /** the coding agent */
  executor: Open<'claude_code' | 'codex' | 'gemini' | 'opencode' | 'copilot' | 'qwen' | 'pi' | 'acp' | 'command' | 'scripted'>
  maxConcurrency: number
  budgets: {
    runCents: number | null
    dayCents: number | null
    monthCents: number | null
  }
  /** whether a person approves a plan */
  planApproval: Open<'always' | 'by_risk' | 'never'>
  /** who merges a verified change */
  mergePolicy: Open<'manual' | 'ask' | 'auto_within_limits' | 'auto'>
  pausedAt: string | null
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
}

export type ResolvedDecision = {
  /** decision key */
  key: string
  kind: Open<'plan_approval' | 'policy_exception' | 'clarification' | 'budget_stop' | 'verification_failed' | 'gate_failure' | 'diff_guard' | 'repeated_gate_failure' | 'merge_approval' | 'revert_approval' | 'main_red_incident' | 'maintenance_proposal' | 'strategy_proposal' | 'scope_change'>
  /** the lowest role that can answer */
  authority: Open<'owner' | 'admin' | 'member'>
  title: string
  /** Markdown: the reasoning */
  body: string
  status: Open<'pending' | 'resolved' | 'expired' | 'cancelled' | 'superseded'>
  /** id of the recommended option */
  recommendation: string
  options: DecisionOption[]
  /** team slug: lowercase words joined by hyphens */
  team: string
  story: {
    /** story key: <TEAM_KEY_PREFIX>-<number> */
    key: string
    title: string
  } | null
  runKey: string | null
  resolution: {
    optionId: string
    note: string | null
  } | null
  resolvedVia: Open<'app' | 'slack' | 'mcp' | 'api'> | null
  resolvedAt: string | null
  expiresAt: string | null
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** the steps taken */
  effects: DecisionEffect[]
}

export type Run = {
  /** run key */
  key: string
  /** team slug: lowercase words joined by hyphens */
  team: string
  story: {
    /** story key: <TEAM_KEY_PREFIX>-<number> */
    key: string
    title: string
  }
  status: Open<'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'>
  stage: Open<'planning' | 'implementing' | 'verifying' | 'handing_off'>
  /** the coding agent */
  executor: Open<'claude_code' | 'codex' | 'gemini' | 'opencode' | 'copilot' | 'qwen' | 'pi' | 'acp' | 'command' | 'scripted'>
  /** number of attempts */
  attempts: number
  /** cost of all attempts, euro cents */
  costCents: number
  /** run budget, euro cents */
  budgetCents: number
  failureClass: Open<'transient' | 'persistent' | 'policy' | 'budget' | 'gate' | 'dependency'> | null
  pullRequest: {
    url: string
    number: number
  } | null
  startedAt: string | null
  completedAt: string | null
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  attemptList: Attempt[]
  evidence: Evidence | null
  decisions: Array<{
    /** decision key */
    key: string
    kind: Open<'plan_approval' | 'policy_exception' | 'clarification' | 'budget_stop' | 'verification_failed' | 'gate_failure' | 'diff_guard' | 'repeated_gate_failure' | 'merge_approval' | 'revert_approval' | 'main_red_incident' | 'maintenance_proposal' | 'strategy_proposal' | 'scope_change'>
    status: Open<'pending' | 'resolved' | 'expired' | 'cancelled' | 'superseded'>
  }>
}

export type RunListed = {
  /** run key */
  key: string
  /** team slug: lowercase words joined by hyphens */
  team: string
  story: {
    /** story key: <TEAM_KEY_PREFIX>-<number> */
    key: string
    title: string
  }
  status: Open<'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'>
  stage: Open<'planning' | 'implementing' | 'verifying' | 'handing_off'>
  /** the coding agent */
  executor: Open<'claude_code' | 'codex' | 'gemini' | 'opencode' | 'copilot' | 'qwen' | 'pi' | 'acp' | 'command' | 'scripted'>
  /** number of attempts */
  attempts: number
  /** cost of all attempts, euro cents */
  costCents: number
  /** run budget, euro cents */
  budgetCents: number
  failureClass: Open<'transient' | 'persistent' | 'policy' | 'budget' | 'gate' | 'dependency'> | null
  pullRequest: {
    url: string
    number: number
  } | null
  startedAt: string | null
  completedAt: string | null
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
}

export type Story = {
  id: string
  /** story key: <TEAM_KEY_PREFIX>-<number> */
  key: string
  title: string
  /** team slug: lowercase words joined by hyphens */
  team: string
  column: {
    id: string
    name: string
    role: Open<'backlog' | 'refining' | 'ready' | 'in_progress' | 'review' | 'done'>
  }
  /** true for a draft story not yet approved */
  draft: boolean
  /** 100 means ready */
  readinessScore: number
  size: Open<'xs' | 's' | 'm' | 'l' | 'xl'> | null
  complexity: Open<'low' | 'medium' | 'high'> | null
  classOfService: Open<'expedite' | 'fixed_date' | 'standard' | 'intangible'>
  tracker: {
    platform: string
    key: string
    url: string
  } | null
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
  /** Markdown */
  description: string
  acceptanceCriteria: AcceptanceCriterion[]
  /** newest first */
  runKeys: string[]
}

export type StoryListed = {
  id: string
  /** story key: <TEAM_KEY_PREFIX>-<number> */
  key: string
  title: string
  /** team slug: lowercase words joined by hyphens */
  team: string
  column: {
    id: string
    name: string
    role: Open<'backlog' | 'refining' | 'ready' | 'in_progress' | 'review' | 'done'>
  }
  /** true for a draft story not yet approved */
  draft: boolean
  /** 100 means ready */
  readinessScore: number
  size: Open<'xs' | 's' | 'm' | 'l' | 'xl'> | null
  complexity: Open<'low' | 'medium' | 'high'> | null
  classOfService: Open<'expedite' | 'fixed_date' | 'standard' | 'intangible'>
  tracker: {
    platform: string
    key: string
    url: string
  } | null
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  /** ISO 8601, UTC, milliseconds */
  updatedAt: string
}

export type Team = {
  id: string
  /** team slug: lowercase words joined by hyphens */
  slug: string
  name: string
  description: string | null
  /** first part of the team's story keys */
  keyPrefix: string
  /** true while the team is paused */
  paused: boolean
  policy: Policy | null
  /** ISO 8601, UTC, milliseconds */
  createdAt: string
  updatedAt: string | null
}

export type Verification = {
  result: Open<'passed' | 'failed'>
  gates: Gate[]
  /** ISO 8601, UTC, milliseconds */
  verifiedAt: string
}

/** What each webhook event sends. */
export interface WebhookMessages {
  'decision.raised': {
    type: 'decision.raised'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** decision key */
      key: string
      status: Open<'pending' | 'resolved' | 'expired' | 'cancelled' | 'superseded'>
      kind: Open<'plan_approval' | 'policy_exception' | 'clarification' | 'budget_stop' | 'verification_failed' | 'gate_failure' | 'diff_guard' | 'repeated_gate_failure' | 'merge_approval' | 'revert_approval' | 'main_red_incident' | 'maintenance_proposal' | 'strategy_proposal' | 'scope_change'>
      team: string | null
      run: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'decision.resolved': {
    type: 'decision.resolved'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** decision key */
      key: string
      status: Open<'pending' | 'resolved' | 'expired' | 'cancelled' | 'superseded'>
      kind: Open<'plan_approval' | 'policy_exception' | 'clarification' | 'budget_stop' | 'verification_failed' | 'gate_failure' | 'diff_guard' | 'repeated_gate_failure' | 'merge_approval' | 'revert_approval' | 'main_red_incident' | 'maintenance_proposal' | 'strategy_proposal' | 'scope_change'>
      team: string | null
      run: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'decision.expired': {
    type: 'decision.expired'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** decision key */
      key: string
      status: Open<'pending' | 'resolved' | 'expired' | 'cancelled' | 'superseded'>
      kind: Open<'plan_approval' | 'policy_exception' | 'clarification' | 'budget_stop' | 'verification_failed' | 'gate_failure' | 'diff_guard' | 'repeated_gate_failure' | 'merge_approval' | 'revert_approval' | 'main_red_incident' | 'maintenance_proposal' | 'strategy_proposal' | 'scope_change'>
      team: string | null
      run: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'decision.cancelled': {
    type: 'decision.cancelled'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** decision key */
      key: string
      status: Open<'pending' | 'resolved' | 'expired' | 'cancelled' | 'superseded'>
      kind: Open<'plan_approval' | 'policy_exception' | 'clarification' | 'budget_stop' | 'verification_failed' | 'gate_failure' | 'diff_guard' | 'repeated_gate_failure' | 'merge_approval' | 'revert_approval' | 'main_red_incident' | 'maintenance_proposal' | 'strategy_proposal' | 'scope_change'>
      team: string | null
      run: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'decision.superseded': {
    type: 'decision.superseded'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** decision key */
      key: string
      status: Open<'pending' | 'resolved' | 'expired' | 'cancelled' | 'superseded'>
      kind: Open<'plan_approval' | 'policy_exception' | 'clarification' | 'budget_stop' | 'verification_failed' | 'gate_failure' | 'diff_guard' | 'repeated_gate_failure' | 'merge_approval' | 'revert_approval' | 'main_red_incident' | 'maintenance_proposal' | 'strategy_proposal' | 'scope_change'>
      team: string | null
      run: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'run.started': {
    type: 'run.started'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** run key */
      key: string
      status: Open<'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'>
      stage: Open<'planning' | 'implementing' | 'verifying' | 'handing_off'>
      attempt: number
      failureClass: Open<'transient' | 'persistent' | 'policy' | 'budget' | 'gate' | 'dependency'> | null
      team: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'run.waiting': {
    type: 'run.waiting'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** run key */
      key: string
      status: Open<'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'>
      stage: Open<'planning' | 'implementing' | 'verifying' | 'handing_off'>
      attempt: number
      failureClass: Open<'transient' | 'persistent' | 'policy' | 'budget' | 'gate' | 'dependency'> | null
      team: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'run.succeeded': {
    type: 'run.succeeded'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** run key */
      key: string
      status: Open<'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'>
      stage: Open<'planning' | 'implementing' | 'verifying' | 'handing_off'>
      attempt: number
      failureClass: Open<'transient' | 'persistent' | 'policy' | 'budget' | 'gate' | 'dependency'> | null
      team: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'run.failed': {
    type: 'run.failed'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** run key */
      key: string
      status: Open<'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'>
      stage: Open<'planning' | 'implementing' | 'verifying' | 'handing_off'>
      attempt: number
      failureClass: Open<'transient' | 'persistent' | 'policy' | 'budget' | 'gate' | 'dependency'> | null
      team: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'run.stopped': {
    type: 'run.stopped'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** run key */
      key: string
      status: Open<'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'timed_out' | 'stopped'>
      stage: Open<'planning' | 'implementing' | 'verifying' | 'handing_off'>
      attempt: number
      failureClass: Open<'transient' | 'persistent' | 'policy' | 'budget' | 'gate' | 'dependency'> | null
      team: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'story.ready': {
    type: 'story.ready'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** story key: <TEAM_KEY_PREFIX>-<number> */
      key: string
      status: Open<'ready' | 'done'>
      team: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'story.done': {
    type: 'story.done'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** story key: <TEAM_KEY_PREFIX>-<number> */
      key: string
      status: Open<'ready' | 'done'>
      team: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'incident.opened': {
    type: 'incident.opened'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** incident key */
      key: string
      status: Open<'open' | 'resolved'>
      change: string | null
      team: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'incident.updated': {
    type: 'incident.updated'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** incident key */
      key: string
      status: Open<'open' | 'resolved'>
      change: string | null
      team: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'incident.resolved': {
    type: 'incident.resolved'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** incident key */
      key: string
      status: Open<'open' | 'resolved'>
      change: string | null
      team: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'team.paused': {
    type: 'team.paused'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** team slug: lowercase words joined by hyphens */
      key: string
      status: Open<'active' | 'paused'>
      /** team slug: lowercase words joined by hyphens */
      team: string
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'team.resumed': {
    type: 'team.resumed'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** team slug: lowercase words joined by hyphens */
      key: string
      status: Open<'active' | 'paused'>
      /** team slug: lowercase words joined by hyphens */
      team: string
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'policy.changed': {
    type: 'policy.changed'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** slug of the team */
      key: string
      version: number
      /** team slug: lowercase words joined by hyphens */
      team: string
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'requirement.drafted': {
    type: 'requirement.drafted'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      /** requirement slug: some of its words and a suffix, joined by hyphens */
      key: string
      status: 'drafted'
      /** the stories that were drafted */
      drafts: string[]
      team: string | null
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
  'endpoint.test': {
    type: 'endpoint.test'
    /** when it happened; ISO 8601, UTC */
    timestamp: string
    apiVersion: 'v1'
    /** slug of the workspace */
    workspace: string
    data: {
      key: string
      /** its page in the app */
      url: string
      /** counts the events of this object; of two, the one with the larger number is newer */
      sequence: number
    }
  }
}

/** What each operation takes and gives. */
export interface Operations {
  /** List the teams of the workspace. */
  listTeams: {
    input: {
      /** Page size. More than 100 is served as 100. */
      limit?: number
      /** Opaque. Pass the nextCursor of the previous page unchanged, with the same filters. */
      cursor?: string
    }
    output: {
      data: Team[]
      nextCursor: string | null
    }
  }
  /** Read a team. */
  readTeam: {
    input: {
      /** team slug: lowercase words joined by hyphens */
      team: string
    }
    output: Team
  }
  /** List a team's stories, newest first. */
  listStories: {
    input: {
      /** team slug: lowercase words joined by hyphens */
      team: string
      /** Page size. More than 100 is served as 100. */
      limit?: number
      /** Opaque. Pass the nextCursor of the previous page unchanged, with the same filters. */
      cursor?: string
      /** true includes draft stories that are not approved yet */
      drafts?: boolean
    }
    output: {
      data: StoryListed[]
      nextCursor: string | null
    }
  }
  /** Read a story. */
  readStory: {
    input: {
      /** story key: <TEAM_KEY_PREFIX>-<number> */
      story: string
    }
    output: Story
  }
  /** List runs, newest first. */
  listRuns: {
    input: {
      /** team slug: lowercase words joined by hyphens */
      team?: string
      /** story key: <TEAM_KEY_PREFIX>-<number> */
      story?: string
      /** Page size. More than 100 is served as 100. */
      limit?: number
      /** Opaque. Pass the nextCursor of the previous page unchanged, with the same filters. */
      cursor?: string
    }
    output: {
      data: RunListed[]
      nextCursor: string | null
    }
  }
  /** Read a run with its attempts, evidence and decisions. */
  readRun: {
    input: {
      /** run key */
      run: string
    }
    output: Run
  }
  /** List decisions, newest first. */
  listDecisions: {
    input: {
      /** status */
      status?: 'pending' | 'resolved' | 'expired' | 'cancelled' | 'superseded'
      /** team slug: lowercase words joined by hyphens */
      team?: string
      /** run key */
      run?: string
      /** Page size. More than 100 is served as 100. */
      limit?: number
      /** Opaque. Pass the nextCursor of the previous page unchanged, with the same filters. */
      cursor?: string
    }
    output: {
      data: Decision[]
      nextCursor: string | null
    }
  }
  /** Read a decision. */
  readDecision: {
    input: {
      /** decision key */
      decision: string
    }
    output: Decision
  }
  /** Answer a decision. */
  resolveDecision: {
    input: {
      /** decision key */
      decision: string
    } & DecisionAnswer
    output: ResolvedDecision
  }
  /** List audit entries, newest first. */
  listAudit: {
    input: {
      /** team slug: lowercase words joined by hyphens */
      team?: string
      /** who acted; "the service" is accepted for service */
      actor?: 'human' | 'service' | 'system'
      /** event type; the display name, as "Signal received", is accepted too */
      event?: 'decision_resolved' | 'decision_raised' | 'decision_expired' | 'decision_cancelled' | 'decision_superseded' | 'decision_snoozed' | 'policy_changed' | 'policy_suggestion_declined' | 'policy_evaluated' | 'team_created' | 'team_changed' | 'team_paused' | 'team_resumed' | 'team_deleted' | 'pull_request_merged' | 'run_started' | 'run_state_changed' | 'requirement_submitted' | 'requirement_answered' | 'requirement_replied' | 'story_changed' | 'story_written' | 'view_changed' | 'tracker_written' | 'local_work_reported' | 'runner_changed' | 'survey_changed' | 'connection_changed' | 'service_changed' | 'signal_source_changed' | 'signal_received' | 'incident_opened' | 'incident_updated' | 'incident_resolved' | 'alert_updated_in_source' | 'webhook_endpoint_changed' | 'audit_exported' | 'audit_verified' | 'token_created' | 'token_revoked' | 'member_joined' | 'member_removed' | 'member_role_changed' | 'member_renamed' | 'member_invited' | 'invitation_revoked' | 'person_erased' | 'signed_in' | 'sign_in_failed' | 'signed_out' | 'identity_confirmed' | 'session_revoked' | 'sign_in_method_changed' | 'notifications_changed' | 'chat_linked' | 'workspace_created' | 'workspace_changed' | 'workspace_deleted' | 'workspace_restored' | 'secret_key_rotated' | 'retention_applied' | 'provisioning_changed' | 'audit_month_archived' | 'backup_created'
      /** run key */
      run?: string
      /** first moment, inclusive; a date means its first millisecond; YYYY-MM-DD or an ISO 8601 timestamp, UTC unless it names an offset */
      from?: string
      /** last moment, inclusive; a date means the whole day; YYYY-MM-DD or an ISO 8601 timestamp, UTC unless it names an offset */
      to?: string
      /** Page size. More than 100 is served as 100. */
      limit?: number
      /** Opaque. Pass the nextCursor of the previous page unchanged, with the same filters. */
      cursor?: string
    }
    output: {
      data: AuditEntry[]
      nextCursor: string | null
    }
  }
  /** Export up to 5,000 audit entries as a file, newest first. */
  exportAudit: {
    input: {
      /** team slug: lowercase words joined by hyphens */
      team?: string
      /** who acted; "the service" is accepted for service */
      actor?: 'human' | 'service' | 'system'
      /** event type; the display name, as "Signal received", is accepted too */
      event?: 'decision_resolved' | 'decision_raised' | 'decision_expired' | 'decision_cancelled' | 'decision_superseded' | 'decision_snoozed' | 'policy_changed' | 'policy_suggestion_declined' | 'policy_evaluated' | 'team_created' | 'team_changed' | 'team_paused' | 'team_resumed' | 'team_deleted' | 'pull_request_merged' | 'run_started' | 'run_state_changed' | 'requirement_submitted' | 'requirement_answered' | 'requirement_replied' | 'story_changed' | 'story_written' | 'view_changed' | 'tracker_written' | 'local_work_reported' | 'runner_changed' | 'survey_changed' | 'connection_changed' | 'service_changed' | 'signal_source_changed' | 'signal_received' | 'incident_opened' | 'incident_updated' | 'incident_resolved' | 'alert_updated_in_source' | 'webhook_endpoint_changed' | 'audit_exported' | 'audit_verified' | 'token_created' | 'token_revoked' | 'member_joined' | 'member_removed' | 'member_role_changed' | 'member_renamed' | 'member_invited' | 'invitation_revoked' | 'person_erased' | 'signed_in' | 'sign_in_failed' | 'signed_out' | 'identity_confirmed' | 'session_revoked' | 'sign_in_method_changed' | 'notifications_changed' | 'chat_linked' | 'workspace_created' | 'workspace_changed' | 'workspace_deleted' | 'workspace_restored' | 'secret_key_rotated' | 'retention_applied' | 'provisioning_changed' | 'audit_month_archived' | 'backup_created'
      /** run key */
      run?: string
      /** first moment, inclusive; a date means its first millisecond; YYYY-MM-DD or an ISO 8601 timestamp, UTC unless it names an offset */
      from?: string
      /** last moment, inclusive; a date means the whole day; YYYY-MM-DD or an ISO 8601 timestamp, UTC unless it names an offset */
      to?: string
      /** format */
      format?: 'json' | 'csv'
    }
    output: Response
  }
  /** Prove an exported file. */
  proveExport: {
    input: {
      /** id of an export, from X-Service-Export-Id */
      export: string
    }
    output: ExportProof
  }
}

/** Where each operation is, and what comes back: one thing, a page of a list, or a file. */
export const operations = {
  listTeams: { method: 'GET', path: '/v1/teams', gives: 'page', query: ['limit', 'cursor'] },
  readTeam: { method: 'GET', path: '/v1/teams/{team}', gives: 'one', query: [] },
  listStories: { method: 'GET', path: '/v1/teams/{team}/stories', gives: 'page', query: ['limit', 'cursor', 'drafts'] },
  readStory: { method: 'GET', path: '/v1/stories/{story}', gives: 'one', query: [] },
  listRuns: { method: 'GET', path: '/v1/runs', gives: 'page', query: ['team', 'story', 'limit', 'cursor'] },
  readRun: { method: 'GET', path: '/v1/runs/{run}', gives: 'one', query: [] },
  listDecisions: { method: 'GET', path: '/v1/decisions', gives: 'page', query: ['status', 'team', 'run', 'limit', 'cursor'] },
  readDecision: { method: 'GET', path: '/v1/decisions/{decision}', gives: 'one', query: [] },
  resolveDecision: { method: 'POST', path: '/v1/decisions/{decision}/resolve', gives: 'one', query: [] },
  listAudit: { method: 'GET', path: '/v1/audit', gives: 'page', query: ['team', 'actor', 'event', 'run', 'from', 'to', 'limit', 'cursor'] },
  exportAudit: { method: 'GET', path: '/v1/audit/export', gives: 'file', query: ['team', 'actor', 'event', 'run', 'from', 'to', 'format'] },
  proveExport: { method: 'GET', path: '/v1/audit/exports/{export}/proof', gives: 'one', query: [] },
} as const
