import { storyLengths } from '@signalbox/contract/limits.ts'
import { Field, Input, Options, Select, Textarea } from '../ui/field.tsx'
import { classNames, complexities, sizes, spoken } from '../words/stories.ts'
import { TrackerHint } from './content.tsx'
import { CriteriaFields } from './criteria-fields.tsx'
import type { Editable, Edited, Part } from './editing.ts'

const sizeNames = Object.fromEntries(sizes.map((size) => [size, size.toUpperCase()]))
const complexityNames = Object.fromEntries(complexities.map((level) => [level, spoken(level)]))

/** The parts of a story that a person edits. What the tracker is the source of is shown, and changed there. */
export function StoryFields({
  story: { tracker },
  edited,
  set,
}: {
  story: Editable
  edited: Edited
  set: <P extends Part>(part: P, value: Edited[P]) => void
}) {
  const fromTracker = tracker !== null
  return (
    <>
      <Field label="Title" hint={tracker && <TrackerHint tracker={tracker} />}>
        {(ids) => (
          <Input
            {...ids}
            required
            autoFocus={!fromTracker}
            maxLength={storyLengths.title}
            disabled={fromTracker}
            value={edited.title}
            onChange={({ target }) => set('title', target.value)}
          />
        )}
      </Field>
      <Field label="Description" hint={fromTracker ? 'Change it in the tracker.' : 'Markdown.'}>
        {(ids) => (
          <Textarea
            {...ids}
            rows={8}
            maxLength={storyLengths.description}
            disabled={fromTracker}
            value={edited.description}
            onChange={({ target }) => set('description', target.value)}
          />
        )}
      </Field>
      <CriteriaFields
        criteria={edited.acceptanceCriteria}
        onChange={(criteria) => set('acceptanceCriteria', criteria)}
      />
      <Field label="Demonstrate" hint="The steps by which a person sees that it works.">
        {(ids) => (
          <Textarea
            {...ids}
            rows={4}
            maxLength={storyLengths.demonstrate}
            value={edited.demonstrate}
            onChange={({ target }) => set('demonstrate', target.value)}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-3">
        <Choice
          label="Size"
          none="Not sized"
          names={sizeNames}
          value={edited.size}
          onChange={(value) => set('size', value as Edited['size'])}
        />
        <Choice
          label="Complexity"
          none="Not rated"
          names={complexityNames}
          value={edited.complexity}
          onChange={(value) => set('complexity', value as Edited['complexity'])}
        />
        <Choice
          label="Class of service"
          names={classNames}
          value={edited.classOfService}
          onChange={(value) => set('classOfService', value as Edited['classOfService'])}
        />
      </div>
    </>
  )
}

function Choice({
  label,
  none,
  names,
  value,
  onChange,
}: {
  label: string
  /** What it is called when nothing is chosen; without it something always is. */
  none?: string
  names: Record<string, string>
  value: string | null
  onChange: (value: string | null) => void
}) {
  return (
    <Field label={label}>
      {(ids) => (
        <Select {...ids} value={value ?? ''} onChange={({ target }) => onChange(target.value || null)}>
          <Options none={none} of={names} />
        </Select>
      )}
    </Field>
  )
}
