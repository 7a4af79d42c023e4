import { isDeepStrictEqual } from 'node:util'
import type { PolicySettings, PresetSettings } from '@signalbox/contract/app/policies.ts'
import type { Details } from '@signalbox/contract/audit-details.ts'
import { acceptanceSpec } from '@signalbox/contract/denied-paths.ts'
import { findingKinds } from '@signalbox/contract/guard/finding.ts'
import { isolationLevels } from '@signalbox/contract/isolation.ts'
import { maintenanceSchedules } from '@signalbox/contract/maintenance.ts'
import { modelTools } from '@signalbox/contract/model-tools.ts'
import { personAnswers } from '@signalbox/contract/presence.ts'
import { noSecondReview } from '@signalbox/contract/reviewers.ts'
import { SecondReviewSettings } from '@signalbox/contract/second-review.ts'
import { executors, mergePolicies, planApprovals, whenIssueLeaves } from '@signalbox/contract/team.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { lockTeam, setPolicyVersion } from '../teams/lock.ts'
import { firstExecutor, type Preset, presets } from './presets.ts'
import { insertPolicy, type PolicyVersion, selectPolicy } from './store.ts'

export type { PolicyVersion } from './store.ts'

export interface PolicyChange {
  preset: Preset
  /** Where the team departs from the preset, its coding agent and its runners: without a word it keeps those it has. */
  departures?: Partial<PolicySettings>
  reason?: string
  /** The version that was seen when this was wanted, 0 for none: a policy that has changed since is not overwritten. */
  basedOn?: number
  /** The suggestion that a person accepted with it. */
  suggestion?: Details['policy_changed']['suggestion']
}

/** Gives a team a new version of its policy. Versions are kept; one that is current already is no change. */
export async function changePolicy(ctx: Context, slug: string, input: PolicyChange): Promise<PolicyVersion> {
  requireRole(ctx, 'admin', "change a team's policy")
  const policy = checkedPolicy(input)
  return change(ctx, async (tx) => addPolicy(ctx, tx, await lockTeam(tx, ctx.workspaceId, slug), policy))
}

export interface CheckedPolicy extends Omit<PolicyChange, 'departures'> {
  settings: Required<PresetSettings>
  executor: PolicySettings['executor'] | undefined
  runnerLabels: string[] | undefined
}

/** What the policy would be; refuses what none can be. */
export function checkedPolicy({ departures, ...input }: PolicyChange): CheckedPolicy {
  const preset = presets[input.preset]
  if (!preset) throw invalid(`preset must be one of ${Object.keys(presets).join(', ')}`)
  const { executor, runnerLabels, ...departed } = departures ?? {}
  const settings = withDepartures(preset, departed)
  refuseUnsafe(input.preset, settings)
  if (executor !== undefined && !executors.includes(executor))
    throw invalid(`executor must be one of ${executors.join(', ')}`)
  return { ...input, settings, executor, runnerLabels: runnerLabels && [...new Set(runnerLabels)].sort() }
}

/** Writes the next version as part of a transaction that holds the team, with the entry it leaves. */
export async function addPolicy(
  ctx: Context,
  tx: Tx,
  team: { id: string; slug: string; name: string },
  { preset, settings, executor, runnerLabels, reason, basedOn, suggestion }: CheckedPolicy,
): Promise<{ value: PolicyVersion; audit: Entry }> {
  await refuseManaged(ctx, tx, 'policies', team.id)
  const before = await selectPolicy(tx, ctx.workspaceId, team.id)
  if (basedOn !== undefined && basedOn !== (before?.version ?? 0)) {
    throw new DomainError(
      'changed_meanwhile',
      `The policy was changed in the meantime: ${before ? `version ${before.version}` : 'none'} is current, not version ${basedOn}. Read it again and repeat your change.`,
    )
  }
  const now = {
    executor: executor ?? before?.executor ?? firstExecutor,
    runnerLabels: runnerLabels ?? before?.runnerLabels ?? [],
  }
  const after: PolicyVersion = {
    ...settings,
    ...now,
    version: (before?.version ?? 0) + 1,
    preset,
    custom: departs(preset, settings, now),
  }
  const changes = differences(before, after)
  if (changes.length === 0)
    throw new DomainError('conflict', `This is already the current policy, version ${before?.version}.`)
  const at = ctx.clock.now()
  await insertPolicy(tx, ctx.workspaceId, team.id, after, { by: ctx.actor.name, reason: reason || null, at })
  await setPolicyVersion(tx, ctx.workspaceId, team.id, after.version, at)
  await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id: team.id })
  return {
    value: after,
    audit: {
      event: 'policy_changed',
      team: team.slug,
      entity: { type: 'policy', id: team.slug, name: `Policy of ${team.name}` },
      details: {
        version: after.version,
        changes,
        ...(reason ? { reason } : {}),
        ...(suggestion ? { suggestion } : {}),
      },
    },
  }
}

/** A preset alone implies the first agent, on any runner. A script only replaces an agent, so it is not a departure. */
export const departs = (
  preset: Preset,
  settings: Required<PresetSettings>,
  { executor, runnerLabels }: Pick<PolicyVersion, 'executor' | 'runnerLabels'>,
): boolean =>
  !['scripted', firstExecutor].includes(executor) ||
  runnerLabels.length > 0 ||
  !isDeepStrictEqual(settings, presets[preset])

/** What is always denied stays denied, wherever the list came from. */
function withDepartures(
  preset: PresetSettings,
  departures: Partial<PresetSettings>,
): Required<PresetSettings> {
  const settings = { ...preset, ...departures }
  const allowed = settings.allowedFindings ?? []
  const unknown = allowed.find((kind) => !findingKinds.includes(kind))
  if (unknown !== undefined)
    throw invalid(`allowedFindings has ${unknown}, and must have some of ${findingKinds.join(', ')}`)
  const denied = settings.deniedPaths.filter((path) => path !== acceptanceSpec)
  return {
    ...settings,
    deniedPaths: [acceptanceSpec, ...new Set(denied)],
    allowedFindings: findingKinds.filter((kind) => allowed.includes(kind)),
    modelTools: [...new Set(settings.modelTools ?? [])].sort(),
    personAnswers: [...new Set(settings.personAnswers ?? [])].sort(),
    secondReview: settings.secondReview ?? noSecondReview,
  }
}

function refuseUnsafe(preset: Preset, settings: Required<PresetSettings>): void {
  if (!settings.acceptanceRequired && preset !== 'trial') {
    throw invalid('the acceptance spec can be turned off only on the Trial preset')
  }
  if (!planApprovals.includes(settings.planApproval))
    throw invalid(`planApproval must be one of ${planApprovals.join(', ')}`)
  if (!mergePolicies.includes(settings.mergePolicy))
    throw invalid(`mergePolicy must be one of ${mergePolicies.join(', ')}`)
  if (!isolationLevels.includes(settings.isolation))
    throw invalid(`isolation must be one of ${isolationLevels.join(', ')}`)
  if (!whenIssueLeaves.includes(settings.whenIssueLeaves))
    throw invalid(`whenIssueLeaves must be one of ${whenIssueLeaves.join(', ')}`)
  if (!settings.modelTools.every((tool) => modelTools.includes(tool)))
    throw invalid(`modelTools can have ${modelTools.join(', ')}`)
  if (!settings.personAnswers.every((kind) => personAnswers.includes(kind)))
    throw invalid(`personAnswers can have ${personAnswers.join(', ')}`)
  refuseReview(settings.secondReview)
  if (typeof settings.reworkOnReview !== 'boolean') throw invalid('reworkOnReview must be true or false')
  if (!isWhole(settings.maxConcurrency, 1)) throw invalid('maxConcurrency must be a whole number, 1 or more')
  if (!isWhole(settings.gateFailureBudget, 0))
    throw invalid('gateFailureBudget must be a whole number, 0 or more')
  for (const [name, cents] of Object.entries(settings.budgets)) {
    if (cents !== null && !isWhole(cents, 0))
      throw invalid(`budgets.${name} must be whole euro cents, or null for none`)
  }
  const { runCents, dayCents, monthCents } = settings.budgets
  for (const [name, cents] of Object.entries({ dayCents, monthCents }))
    if (runCents !== null && cents !== null && runCents > cents)
      throw invalid(
        `budgets.runCents is more than budgets.${name}: no run could use it. Lower it, or raise the other`,
      )
  const { schedule, ...cents } = settings.maintenance
  if (!maintenanceSchedules.includes(schedule))
    throw invalid(`maintenance.schedule must be one of ${maintenanceSchedules.join(', ')}`)
  for (const name of ['surveyCents', 'monthCents'] as const)
    if (!isWhole(cents[name], 1)) throw invalid(`maintenance.${name} must be whole euro cents, 1 or more`)
  if (settings.autoMergeMaxLines !== null && !isWhole(settings.autoMergeMaxLines, 0)) {
    throw invalid('autoMergeMaxLines must be a whole number, or null for no limit')
  }
}

function refuseReview({ by, model, holdsMerge }: SecondReviewSettings): void {
  if (!SecondReviewSettings.properties.by.enum.includes(by))
    throw invalid(`secondReview.by must be off, another_vendor or one of ${executors.join(', ')}`)
  if (model !== null && (typeof model !== 'string' || model.trim() === ''))
    throw invalid('secondReview.model must be the name of a model, or null for the one of the runner')
  if (typeof holdsMerge !== 'boolean') throw invalid('secondReview.holdsMerge must be true or false')
  if (by === 'off' && (holdsMerge || model !== null))
    throw invalid('secondReview.by is off, so its model must be null and holdsMerge false')
}

const isWhole = (value: number, least: number) => Number.isSafeInteger(value) && value >= least

const invalid = (complaint: string) =>
  new DomainError('invalid_request', `The policy is not valid: ${complaint}.`)

/** Before and after of every setting that differs. `version` and `custom` follow from the others. */
export function differences(before: PolicyVersion | undefined, after: PolicyVersion) {
  const { version, custom, ...settings } = after
  // That a first policy has a list with nothing in it is nothing to tell.
  const isTold = (value: unknown) => before || !Array.isArray(value) || value.length > 0
  return Object.entries(settings)
    .filter(([, value]) => isTold(value))
    .map(([field, value]) => ({
      field,
      before: before?.[field as keyof PolicyVersion] ?? null,
      after: value,
    }))
    .filter((entry) => !isDeepStrictEqual(entry.before, entry.after))
}
