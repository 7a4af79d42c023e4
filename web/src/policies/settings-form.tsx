import type { PolicyPage } from '@signalbox/contract/app/policies.ts'
import type { ReactNode } from 'react'
import { executors } from '../runs/statuses.tsx'
import { Badge } from '../ui/badge.tsx'
import { Field, Select, Switch } from '../ui/field.tsx'
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
import { LimitField } from './limit-field.tsx'
import { NumberField } from './number-field.tsx'
import { PresetCards } from './preset-cards.tsx'
import { mergePolicyNames, planApprovalNames, presetNames, valueInWords } from './words.ts'

/** Every setting of a policy with its effective value; what departs from the preset says so. */
export function SettingsForm({
  draft,
  page,
  disabled,
  onChange,
}: {
  draft: Draft
  page: PolicyPage
  disabled: boolean
  onChange: (draft: Draft) => void
}) {
  const preset: Draft = { ...page.presets[draft.preset], preset: draft.preset }
  const departs = new Set(differences(preset, draft).map(({ setting }) => setting))
  const set = (setting: Setting) => (value: unknown) => onChange(withValue(draft, setting, value))
  const row = (setting: Setting, control: ReactNode) => (
    <Row
      // The agent is the team's own choice, not part of how closely people watch.
      mark={departs.has(setting) && setting !== 'executor'}
      was={valueInWords(setting, settingOf(preset, setting))}
    >
      {control}
    </Row>
  )
  const choice = (setting: Setting, names: Record<string, string>) =>
    row(
      setting,
      <Field label={settingNames[setting]}>
        {(ids) => (
          <Select
            {...ids}
            disabled={disabled}
            value={String(settingOf(draft, setting))}
            onChange={({ target }) => set(setting)(target.value)}
          >
            {Object.entries(names).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>,
    )
  const whole = (setting: Setting, least: number, hint: string) =>
    row(
      setting,
      <NumberField
        label={settingNames[setting]}
        hint={hint}
        least={least}
        disabled={disabled}
        value={settingOf(draft, setting) as number}
        onChange={set(setting)}
      />,
    )
  const limit = (setting: Setting, unit: string, perUnit: number, hint: string) =>
    row(
      setting,
      <LimitField
        label={settingNames[setting]}
        unit={unit}
        perUnit={perUnit}
        hint={hint}
        disabled={disabled}
        value={settingOf(draft, setting) as number | null}
        onChange={set(setting)}
      />,
    )
  return (
    <>
      <PresetCards
        chosen={draft.preset}
        disabled={disabled}
        onChoose={(next) => onChange(withPreset(draft, next, page.presets[next]))}
      />
      <div className="mt-4 divide-y rounded-lg border bg-surface">
        {choice('executor', executors)}
        {whole('maxConcurrency', 1, 'How many runs of the team are at work at the same time.')}
        {choice('planApproval', planApprovalNames)}
        {choice('mergePolicy', mergePolicyNames)}
        {limit('autoMergeMaxLines', 'lines', 1, 'Added and deleted lines. A larger change is asked about.')}
        {limit('budgets.runCents', 'euro', 100, 'At the limit the run stops and a person is asked.')}
        {limit('budgets.dayCents', 'euro', 100, 'Days are those of UTC. Nothing starts that does not fit.')}
        {limit('budgets.monthCents', 'euro', 100, 'Months are those of UTC.')}
        {row(
          'deniedPaths',
          <div>
            <h3 className="mb-1 text-[13px] font-medium">{settingNames.deniedPaths}</h3>
            <p className="mb-2 text-xs text-muted">
              A run that needs to change one of them stops and asks. ** crosses folders, * does not.
            </p>
            <DeniedPaths
              paths={draft.deniedPaths}
              locked={page.alwaysDenied}
              disabled={disabled}
              onChange={set('deniedPaths')}
            />
          </div>,
        )}
        {row(
          'acceptanceRequired',
          <Switch
            label={settingNames.acceptanceRequired}
            hint="A working acceptance spec is written before a story is implemented."
            checked={draft.acceptanceRequired}
            forbidden={
              disabled
                ? 'Policy: owners and admins'
                : draft.preset !== 'trial' &&
                  draft.acceptanceRequired &&
                  'Can be turned off on the Trial preset only'
            }
            onChange={set('acceptanceRequired')}
          />,
        )}
        {whole('gateFailureBudget', 0, 'One gate may fail this often in a run.')}
      </div>
      {departs.size > 0 && (
        <p className="sr-only" role="status">
          {departs.size} settings differ from {presetNames[draft.preset].name}
        </p>
      )}
    </>
  )
}

function Row({ mark, was, children }: { mark: boolean; was: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 gap-y-2 px-4 py-3 md:grid-cols-[1fr_13rem]">
      <div className="min-w-0">{children}</div>
      <div className="min-w-0 text-xs text-muted empty:hidden md:text-right">
        {mark && (
          <>
            <Badge tone="accent">Differs from the preset</Badge>
            <p className="mt-1 break-words">Preset: {was}</p>
          </>
        )}
      </div>
    </div>
  )
}
