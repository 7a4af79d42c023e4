import { Badge } from '../ui/badge.tsx'
import { type Preset, presetNames, presetOrder } from './words.ts'

interface Props {
  chosen: Preset
  inForce?: Preset | undefined
  onChoose: (preset: Preset) => void
  disabled?: boolean
}

/** The four presets, one sentence each; radio buttons that look like cards. */
export function PresetCards({ chosen, inForce, onChoose, disabled = false }: Props) {
  return (
    <fieldset disabled={disabled} className="grid gap-2 sm:grid-cols-2">
      <legend className="sr-only">Preset</legend>
      {presetOrder.map((preset) => (
        <label
          key={preset}
          className={`flex gap-3 rounded-lg border p-3 has-focus-visible:outline-2 has-focus-visible:outline-accent ${chosen === preset ? 'border-accent bg-accent-soft' : 'bg-surface'} ${disabled ? '' : 'cursor-pointer hover:border-line-strong'}`}
        >
          <input
            type="radio"
            name="preset"
            value={preset}
            checked={chosen === preset}
            onChange={() => onChoose(preset)}
            className="mt-0.5 size-4 shrink-0 accent-(--accent-fill)"
          />
          <span className="min-w-0">
            <span className="flex flex-wrap items-center gap-2 text-sm font-semibold">
              {presetNames[preset].name}
              {inForce === preset && <Badge tone="ok" word="Current" />}
            </span>
            <span className="block text-xs text-muted">{presetNames[preset].sentence}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
