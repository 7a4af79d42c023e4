import { maxReasonLength } from '@signalbox/contract/limits.ts'
import { LongTextField } from '../ui/text-field.tsx'

interface Props {
  value: string
  onChange: (value: string) => void
  disabled: boolean
}

export const DescriptionField = (props: Props) => (
  <LongTextField
    {...props}
    label="Description"
    hint="Optional. What the team works on."
    rows={3}
    maxLength={maxReasonLength}
  />
)
