import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { PolicySettings, Preset } from './presets.ts'

export interface PolicyVersion extends PolicySettings {
  version: number
  preset: Preset
  custom: boolean
}

const settings = `
  p.version, p.preset, p.custom, p.executor, p.max_concurrency as "maxConcurrency",
    json_build_object(
      'runCents', p.budget_run_cents, 'dayCents', p.budget_day_cents, 'monthCents', p.budget_month_cents
    ) as budgets,
    p.plan_approval as "planApproval", p.merge_policy as "mergePolicy", p.denied_paths as "deniedPaths",
    p.acceptance_required as "acceptanceRequired", p.gate_failure_budget as "gateFailureBudget",
    p.auto_merge_max_lines as "autoMergeMaxLines"
`

const current = statement<PolicyVersion>(`
  select ${settings}
  from policies p
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id and t.policy_version = p.version
  where p.workspace_id = :workspaceId and p.team_id = :teamId`)

const byVersion = statement<PolicyVersion>(`
  select ${settings}
  from policies p
  where p.workspace_id = :workspaceId and p.team_id = :teamId and p.version = :version`)

export async function selectPolicyVersion(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
  version: number,
): Promise<PolicyVersion | undefined> {
  return (await read(db, byVersion, { workspaceId, teamId, version }))[0]
}

export async function selectPolicy(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
): Promise<PolicyVersion | undefined> {
  return (await read(db, current, { workspaceId, teamId }))[0]
}

export async function insertPolicy(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  policy: PolicyVersion,
  at: Date,
): Promise<void> {
  await tx
    .insertInto('policies')
    .values({
      workspace_id: workspaceId,
      team_id: teamId,
      version: policy.version,
      preset: policy.preset,
      custom: policy.custom,
      executor: policy.executor,
      max_concurrency: policy.maxConcurrency,
      budget_run_cents: policy.budgets.runCents,
      budget_day_cents: policy.budgets.dayCents,
      budget_month_cents: policy.budgets.monthCents,
      plan_approval: policy.planApproval,
      merge_policy: policy.mergePolicy,
      denied_paths: policy.deniedPaths,
      acceptance_required: policy.acceptanceRequired,
      gate_failure_budget: policy.gateFailureBudget,
      auto_merge_max_lines: policy.autoMergeMaxLines,
      created_at: at,
    })
    .execute()
}
