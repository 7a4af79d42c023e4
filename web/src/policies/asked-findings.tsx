import {
  type FindingGroup,
  type FindingKind,
  findingGroups,
  findingKinds,
  findingWords,
} from '@signalbox/contract/guard/finding.ts'
import { useId } from 'react'
import { Checkbox } from '../ui/field.tsx'

const groups = Object.keys(findingGroups) as FindingGroup[]
const inGroup = (group: FindingGroup) => findingKinds.filter((kind) => findingWords[kind].group === group)

interface AskedFindingsProps {
  label: string
  hint: string
  allowed: FindingKind[]
  disabled: boolean
  onChange: (allowed: FindingKind[]) => void
}

/** Everything that a person is asked about before a change is merged. What is not checked passes without asking. */
export function AskedFindings({ label, hint, allowed, disabled, onChange }: AskedFindingsProps) {
  const id = useId()
  const turn = (kind: FindingKind, isAsked: boolean) =>
    onChange(findingKinds.filter((one) => (one === kind ? !isAsked : allowed.includes(one))))
  return (
    <fieldset aria-describedby={`${id}-hint`}>
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <p id={`${id}-hint`} className="mb-2 text-xs text-muted">
        {hint}
      </p>
      <div className="flex flex-col gap-3">
        {groups.map((group) => (
          <Group key={group} group={group} allowed={allowed} disabled={disabled} onTurn={turn} />
        ))}
      </div>
    </fieldset>
  )
}

interface GroupProps {
  group: FindingGroup
  allowed: FindingKind[]
  disabled: boolean
  onTurn: (kind: FindingKind, isAsked: boolean) => void
}

/** Closed at first: no one reads so many boxes at a time. */
function Group({ group, allowed, disabled, onTurn }: GroupProps) {
  const kinds = inGroup(group)
  const asked = kinds.filter((kind) => !allowed.includes(kind)).length
  return (
    <details className="rounded-md border px-3 py-2">
      <summary className="cursor-pointer text-sm">
        {findingGroups[group]}
        <span className="ml-2 text-xs text-muted">{countInWords(asked, kinds.length)}</span>
      </summary>
      <div className="mt-2 flex flex-col gap-2">
        {kinds.map((kind) => (
          <Checkbox
            key={kind}
            label={findingWords[kind].label}
            hint={`${findingWords[kind].covers} ${findingWords[kind].why}`.replaceAll('`', '')}
            checked={!allowed.includes(kind)}
            disabled={disabled}
            onChange={({ target }) => onTurn(kind, target.checked)}
          />
        ))}
      </div>
    </details>
  )
}

function countInWords(asked: number, all: number): string {
  if (asked === all) return 'Asks about all'
  return asked === 0 ? 'Asks about none' : `Asks about ${asked} of ${all}`
}
