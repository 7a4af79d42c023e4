import type { KeptPolicyVersion, PolicySettings } from '@signalbox/contract/app/policies.ts'
import { type Tx, write } from '../../../infra/db/db.ts'
import { reads } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type { Rendered } from '../../page.ts'
import type { Preset } from './presets.ts'
import type * as Sql from './store.types.ts'

export interface PolicyVersion extends Required<PolicySettings> {
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
    p.auto_merge_max_lines as "autoMergeMaxLines", p.rework_on_review as "reworkOnReview", p.isolation,
    json_build_object(
      'schedule', p.maintenance_schedule, 'surveyCents', p.maintenance_survey_cents,
      'monthCents', p.maintenance_month_cents
    ) as maintenance,
    p.when_issue_leaves as "whenIssueLeaves", p.allowed_findings as "allowedFindings",
    p.runner_labels as "runnerLabels", p.model_tools as "modelTools",
    p.person_answers as "personAnswers",
    json_build_object(
      'by', p.review_by, 'model', p.review_model, 'holdsMerge', p.review_holds_merge
    ) as "secondReview"
`

export const selectPolicyVersion = reads.one<Sql.SelectPolicyVersion, PolicyVersion>(
  'workspaceId, teamId, version',
)(`
  select ${settings}
  from policies p
  where p.workspace_id = :workspaceId and p.team_id = :teamId and p.version = :version`)

export const selectPolicy = reads.one<Sql.SelectPolicy, PolicyVersion>('workspaceId, teamId')(`
  select ${settings}
  from policies p
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id and t.policy_version = p.version
  where p.workspace_id = :workspaceId and p.team_id = :teamId`)

const insertPolicySql = statement<Sql.InsertPolicy>(`
  insert into policies (workspace_id, team_id, version, preset, custom, executor, max_concurrency,
    budget_run_cents, budget_day_cents, budget_month_cents, plan_approval, merge_policy, denied_paths,
    acceptance_required, gate_failure_budget, auto_merge_max_lines, rework_on_review, isolation,
    maintenance_schedule, maintenance_survey_cents, maintenance_month_cents, when_issue_leaves, allowed_findings,
    runner_labels, model_tools, person_answers, review_by, review_model, review_holds_merge, created_at, created_by, reason)
  values (:workspaceId, :teamId, :version, :preset, :custom, :executor, :maxConcurrency, :runCents?, :dayCents?,
    :monthCents?, :planApproval, :mergePolicy, :deniedPaths, :acceptanceRequired, :gateFailureBudget,
    :autoMergeMaxLines?, :reworkOnReview, :isolation, :schedule, :surveyCents, :maintenanceMonthCents,
    :whenIssueLeaves, :allowedFindings, :runnerLabels, :modelTools, :personAnswers, :reviewBy,
    :reviewModel?, :reviewHoldsMerge, :at, :by, :reason?)`)

export async function insertPolicy(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  policy: PolicyVersion,
  made: { by: string; reason: string | null; at: Date },
): Promise<void> {
  const { budgets, maintenance, secondReview, ...others } = policy
  await write(
    tx,
    insertPolicySql,
    handedIn({
      ...others,
      ...{ workspaceId, teamId, by: made.by, reason: made.reason, at: made.at },
      ...{ runCents: budgets.runCents, dayCents: budgets.dayCents, monthCents: budgets.monthCents },
      schedule: maintenance.schedule,
      surveyCents: maintenance.surveyCents,
      maintenanceMonthCents: maintenance.monthCents,
      reviewBy: secondReview.by,
      reviewModel: secondReview.model,
      reviewHoldsMerge: secondReview.holdsMerge,
    }),
  )
}

const ofVersion = (version: string) =>
  `select ${settings} from policies p
    where p.workspace_id = v.workspace_id and p.team_id = v.team_id and p.version = ${version}`

// `version` and `custom` follow from the others. A page ends at an id, so the version is written like one.
export const selectKeptPolicies = reads.many<Sql.SelectKeptPolicies, Rendered<KeptPolicyVersion>>(
  'workspaceId, team, { after, rows }',
)(`
  select lpad(to_hex(v.version), 32, '0')::uuid as "id!", (select row_to_json(kept) from (select
    now.*,
    iso(v.created_at) as at,
    v.created_by as by,
    v.reason,
    (
      select json_agg(json_build_object('field', key, 'before', row_to_json(former) -> key, 'after', value))
      from json_each(row_to_json(now))
      where key not in ('version', 'custom')
        and value::jsonb is distinct from coalesce((row_to_json(former) -> key)::jsonb, 'null')
        and (former.version is not null or value::text <> '[]')
    ) as changes
  ) as kept)::text as json
  from policies v
  join teams t on t.workspace_id = v.workspace_id and t.id = v.team_id
  cross join lateral (${ofVersion('v.version')}) as now
  left join lateral (${ofVersion('v.version - 1')}) as former on true
  where v.workspace_id = :workspaceId and t.slug = :team and t.deleted_at is null
    [[and lpad(to_hex(v.version), 32, '0')::uuid < :after]]
  order by v.version desc
  limit #rows`)
