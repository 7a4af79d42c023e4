import { type ModelTool, modelTools } from '@signalbox/contract/model-tools.ts'
import { Checkbox } from '../ui/field.tsx'
import { modelToolNames } from './words.ts'

interface Props {
  label: string
  hint: string
  value: ModelTool[]
  disabled: boolean
  onChange: (value: ModelTool[]) => void
}

/** What a model's provider may do on the network on its own. With any of it the box no longer closes the network. */
export function ModelToolsField({ label, hint, value, disabled, onChange }: Props) {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <p className={`mb-2 text-xs ${value.length > 0 ? 'text-danger' : 'text-muted'}`}>{hint}</p>
      <div className="flex flex-col gap-2">
        {modelTools.map((tool) => (
          <Checkbox
            key={tool}
            label={modelToolNames[tool].name}
            hint={modelToolNames[tool].hint}
            disabled={disabled}
            checked={value.includes(tool)}
            onChange={({ target }) =>
              onChange(modelTools.filter((each) => (each === tool ? target.checked : value.includes(each))))
            }
          />
        ))}
      </div>
    </fieldset>
  )
}
