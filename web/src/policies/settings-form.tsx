import type { PolicyPage } from '@signalbox/contract/app/policies.ts'
import type { ReactNode } from 'react'
import { useRead } from '../api/queries.ts'
import { ChoiceField } from '../ui/choice.tsx'
import { Switch } from '../ui/field.tsx'
import { TextField } from '../ui/text-field.tsx'
import { executors } from '../words/executors.ts'
import { AskedFindings } from './asked-findings.tsx'
import { DeniedPaths } from './denied-paths.tsx'
import {
  type Draft,
  differences,
  type Setting,
  settingNames,
  settingOf,
  withPreset,
  withValue,
} from './differences.ts'
import { LabelsField } from './labels-field.tsx'
import { LimitField } from './limit-field.tsx'
import { ModelToolsField } from './model-tools-field.tsx'
import { NumberField } from './number-field.tsx'
import { PersonAnswersField } from './person-answers-field.tsx'
import { PresetCards } from './preset-cards.tsx'
import { sentenceOf } from './sentences.ts'
import { SettingRow } from './setting-row.tsx'
import {
  isolationNames,
  mergePolicyNames,
  planApprovalNames,
  reviewerNames,
  scheduleNames,
  whenIssueLeavesNames,
} from './words.ts'

interface Props {
  draft: Draft
  /** What the changes began from; null: there is no policy. */
  base: Draft | null
  page: PolicyPage
  disabled: boolean
  onChange: (draft: Draft) => void
}

/** Every setting of a policy: what it does, its value, and how that differs from the current policy and from the preset. */
export function SettingsForm({ draft, base, page, disabled, onChange }: Props) {
  // The agent is the team's own choice, not part of how closely people watch.
  const preset: Draft = { ...draft, ...page.presets[draft.preset] }
  const departures = differences(preset, draft)
  const changes = base ? differences(base, draft) : []
  const set = (setting: Setting) => (value: unknown) => onChange(withValue(draft, setting, value))
  const integrations = useRead('workspaces.integrations', {}).data
  const sentence = (setting: Setting) => {
    const said = sentenceOf(setting, draft, page.runCentsWithoutBudgets)
    if (setting === 'mergePolicy' && integrations?.gitHost === false)
      return `${said} No git host is connected, so people merge manually.`
    if (setting === 'executor' && integrations?.work === false)
      return `${said} None is connected, so nothing starts.`
    return said
  }
  const row = (setting: Setting, control: ReactNode) => (
    <SettingRow
      change={changes.find((found) => found.setting === setting)}
      departure={departures.find((found) => found.setting === setting)}
    >
      {control}
    </SettingRow>
  )
  const choice = (setting: Setting, names: Record<string, string>) =>
    row(
      setting,
      <ChoiceField
        label={settingNames[setting]}
        hint={sentence(setting)}
        disabled={disabled}
        value={String(settingOf(draft, setting))}
        onChange={set(setting)}
        of={names}
      />,
    )
  const whole = (setting: Setting, least: number) =>
    row(
      setting,
      <NumberField
        label={settingNames[setting]}
        hint={sentence(setting)}
        least={least}
        disabled={disabled}
        value={settingOf(draft, setting) as number}
        onChange={set(setting)}
      />,
    )
  const cost = (setting: Setting) =>
    row(
      setting,
      <NumberField
        label={`${settingNames[setting]}, euro`}
        hint={sentence(setting)}
        least={1}
        perUnit={100}
        disabled={disabled}
        value={settingOf(draft, setting) as number}
        onChange={set(setting)}
      />,
    )
  const limit = (setting: Setting, unit: string, perUnit: number) =>
    row(
      setting,
      <LimitField
        label={settingNames[setting]}
        unit={unit}
        perUnit={perUnit}
        hint={sentence(setting)}
        disabled={disabled}
        value={settingOf(draft, setting) as number | null}
        suggested={settingOf(preset, setting) as number | null}
        onChange={set(setting)}
      />,
    )
  return (
    <>
      <PresetCards
        chosen={draft.preset}
        inForce={base?.preset}
        disabled={disabled}
        onChoose={(next) => onChange(withPreset(draft, next, page.presets[next]))}
      />
      <div className="mt-4 divide-y rounded-lg border bg-surface">
        {choice('executor', executors)}
        {whole('maxConcurrency', 1)}
        {choice('planApproval', planApprovalNames)}
        {choice('mergePolicy', mergePolicyNames)}
        {limit('autoMergeMaxLines', 'lines', 1)}
        {limit('budgets.runCents', 'euro', 100)}
        {limit('budgets.dayCents', 'euro', 100)}
        {limit('budgets.monthCents', 'euro', 100)}
        {row(
          'deniedPaths',
          <div>
            <h3 className="mb-1 text-sm font-medium">{settingNames.deniedPaths}</h3>
            <p className="mb-2 text-xs text-muted">{sentence('deniedPaths')}</p>
            <DeniedPaths
              paths={draft.deniedPaths}
              locked={page.alwaysDenied}
              disabled={disabled}
              onChange={set('deniedPaths')}
            />
          </div>,
        )}
        {row(
          'allowedFindings',
          <AskedFindings
            label={settingNames.allowedFindings}
            hint={sentence('allowedFindings')}
            allowed={draft.allowedFindings ?? []}
            disabled={disabled}
            onChange={set('allowedFindings')}
          />,
        )}
        {row(
          'acceptanceRequired',
          <Switch
            label={settingNames.acceptanceRequired}
            hint={sentence('acceptanceRequired')}
            checked={draft.acceptanceRequired}
            // The switch says why it is locked in place of its hint; what it does is to be read all the same.
            forbidden={
              disabled
                ? `${sentence('acceptanceRequired')} Only owners and admins can change the policy.`
                : draft.preset !== 'trial' &&
                  draft.acceptanceRequired &&
                  `${sentence('acceptanceRequired')} Can only be turned off with the Trial preset.`
            }
            onChange={set('acceptanceRequired')}
          />,
        )}
        {row(
          'reworkOnReview',
          <Switch
            label={settingNames.reworkOnReview}
            hint={sentence('reworkOnReview')}
            checked={draft.reworkOnReview}
            forbidden={
              disabled && `${sentence('reworkOnReview')} Only owners and admins can change the policy.`
            }
            onChange={set('reworkOnReview')}
          />,
        )}
        {whole('gateFailureBudget', 0)}
        {choice('isolation', isolationNames)}
        {row(
          'modelTools',
          <ModelToolsField
            label={settingNames.modelTools}
            hint={sentence('modelTools')}
            disabled={disabled}
            value={draft.modelTools ?? []}
            onChange={set('modelTools')}
          />,
        )}
        {row(
          'personAnswers',
          <PersonAnswersField
            label={settingNames.personAnswers}
            hint={sentence('personAnswers')}
            disabled={disabled}
            value={draft.personAnswers ?? []}
            onChange={set('personAnswers')}
          />,
        )}
        {choice('secondReview.by', reviewerNames)}
        {settingOf(draft, 'secondReview.by') !== 'off' && (
          <>
            {row(
              'secondReview.model',
              <TextField
                label={settingNames['secondReview.model']}
                hint={sentence('secondReview.model')}
                disabled={disabled}
                maxLength={200}
                value={draft.secondReview?.model ?? ''}
                onChange={(model) => set('secondReview.model')(model.trim() === '' ? null : model)}
                className="max-w-96"
              />,
            )}
            {row(
              'secondReview.holdsMerge',
              <Switch
                label={settingNames['secondReview.holdsMerge']}
                hint={sentence('secondReview.holdsMerge')}
                checked={draft.secondReview?.holdsMerge ?? false}
                forbidden={
                  disabled &&
                  `${sentence('secondReview.holdsMerge')} Only owners and admins can change the policy.`
                }
                onChange={set('secondReview.holdsMerge')}
              />,
            )}
          </>
        )}
        {choice('maintenance.schedule', scheduleNames)}
        {cost('maintenance.surveyCents')}
        {cost('maintenance.monthCents')}
        {choice('whenIssueLeaves', whenIssueLeavesNames)}
        {row(
          'runnerLabels',
          <LabelsField
            label={settingNames.runnerLabels}
            hint={sentence('runnerLabels')}
            disabled={disabled}
            value={draft.runnerLabels ?? []}
            onChange={set('runnerLabels')}
          />,
        )}
      </div>
    </>
  )
}
