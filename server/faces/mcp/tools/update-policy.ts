import {
  PolicyChange,
  PolicySettings,
  type PolicyVersion,
  PresetSettings,
} from '@signalbox/contract/app/policies.ts'
import { teamSlug } from '@signalbox/contract/keys.ts'
import { maxReasonLength } from '@signalbox/contract/limits.ts'
import type { SecondReviewSettings } from '@signalbox/contract/second-review.ts'
import { nullable, oneOf } from '@signalbox/contract/shapes.ts'
import { presets } from '@signalbox/contract/team.ts'
import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { changePolicy } from '../../../domain/work/policies/change.ts'
import { previewPolicy } from '../../../domain/work/policies/preview.ts'
import { readPolicy } from '../../../domain/work/policies/read.ts'
import { appUrl } from '../calls/app-url.ts'
import { type Call, gives, nextStep, optional, takes, text, tool, url, writes } from '../calls/tool.ts'

const { budgets, ...settings } = PolicySettings.properties
/** In few words, and without the agents that `executor` lists already: a model pays for each of them. */
const secondReview = Type.Object(
  {
    by: Type.Unsafe<SecondReviewSettings['by']>(
      Type.String({ description: 'off, another_vendor or an executor' }),
    ),
    model: nullable(Type.String({ maxLength: 200, description: 'null: the runner’s' })),
    holdsMerge: Type.Boolean({ description: 'whether it can hold a merge' }),
  },
  { additionalProperties: false, description: 'another agent reads each change' },
)

const Changes = Type.Partial(
  Type.Object(
    {
      ...settings,
      secondReview,
      budgets: Type.Partial(PresetSettings.properties.budgets, {
        additionalProperties: false,
        description: 'Only those to change.',
      }),
    },
    { additionalProperties: false },
  ),
  {
    additionalProperties: false,
    description: 'Only the settings to change; see get_team. Money in euro cents, null for no limit.',
  },
)

export const updatePolicy = tool({
  name: 'update_policy',
  title: 'Change a team’s policy',
  description:
    'Changes what a team may do without asking. version is the one that get_team returned (0 for a team without a policy): a policy that has changed since is not overwritten. Give a preset, single changes, or both; a new preset replaces all settings before the changes are applied. Unless dryRun is false nothing is changed, and you get the differences to show to your user. Owners and admins only. The folder .kanman/acceptance/** stays denied, whatever you send.',
  toolset: 'default',
  hints: writes('destructive', 'idempotent'),
  input: takes({
    team: teamSlug,
    version: Type.Integer({ minimum: 0, description: 'the current version, from get_team' }),
    preset: optional(oneOf(presets, 'replaces all settings before the changes are applied')),
    changes: optional(Changes),
    reason: optional(text('Why, for the history of the policy.', maxReasonLength, 0)),
    dryRun: optional(Type.Boolean({ description: 'true unless given; false changes the policy' })),
  }),
  output: gives({
    team: teamSlug,
    dryRun: Type.Boolean(),
    version: Type.Integer({ description: 'of the policy with these changes' }),
    changes: Type.Array(PolicyChange),
    url,
    nextStep,
  }),
  outside: [],
  async call(call, { team, version, preset, changes = {}, reason, dryRun = true }) {
    const { ctx } = call
    const before = await readPolicy(ctx, team)
    const wanted = {
      preset: preset ?? before?.preset ?? 'supervised',
      departures: departuresOf(before, preset, changes),
      basedOn: version,
      ...(reason === undefined ? {} : { reason }),
    }
    const preview = await orCurrent(call, team, () => previewPolicy(ctx, team, wanted))
    if (!dryRun) await orCurrent(call, team, () => changePolicy(ctx, team, wanted))
    return {
      team,
      dryRun,
      ...preview,
      url: await appUrl(call, 'teams', team, 'settings', 'policy'),
      nextStep: dryRun
        ? 'Nothing has changed yet. Show the changes to your user; if they agree, call again with dryRun: false.'
        : 'The policy has changed. Runs that are under way keep the one they began with.',
    }
  },
})

/** Where a policy departs from its preset: as before, with the changes; or only by them where the preset is new. */
function departuresOf(
  before: PolicyVersion | null,
  preset: PolicyVersion['preset'] | undefined,
  {
    budgets,
    ...changes
  }: { budgets?: Partial<PolicyVersion['budgets']> } & Partial<Omit<PolicySettings, 'budgets'>>,
): Partial<PolicySettings> {
  const isKept = before && (preset === undefined || preset === before.preset)
  const { preset: _, custom: __, version: ___, ...kept } = before ?? {}
  const base: Partial<PolicySettings> = isKept ? kept : {}
  const none = { runCents: null, dayCents: null, monthCents: null }
  return {
    ...base,
    ...changes,
    ...(budgets ? { budgets: { ...(before?.budgets ?? none), ...budgets } } : {}),
  }
}

async function orCurrent<T>(call: Call, team: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'changed_meanwhile') throw error
    throw new DomainError(error.code, error.message, { current: await readPolicy(call.ctx, team) })
  }
}
