import { storyLengths } from '@signalbox/contract/limits.ts'
import { ChoiceField } from '../ui/choice.tsx'
import { LongTextField, TextField } from '../ui/text-field.tsx'
import { classNames } from '../words/classes-of-service.ts'
import { complexities, sizes, spoken } from '../words/stories.ts'
import { TrackerHint } from './content.tsx'
import { CriteriaFields } from './criteria-fields.tsx'
import type { Editable, Edited, Part } from './editing.ts'

const sizeNames = Object.fromEntries(sizes.map((size) => [size, size.toUpperCase()]))
const complexityNames = Object.fromEntries(complexities.map((level) => [level, spoken(level)]))

interface Props {
  story: Editable
  edited: Edited
  set: <P extends Part>(part: P, value: Edited[P]) => void
}

/** The parts of a story that a person edits. What the tracker is the source of is shown, and changed there. */
export function StoryFields({ story: { tracker, mirror }, edited, set }: Props) {
  // What is connected is written there too.
  const fromTracker = tracker !== null && !mirror?.isBound
  return (
    <>
      <TextField
        label="Title"
        hint={tracker && <TrackerHint tracker={tracker} />}
        required
        autoFocus={!fromTracker}
        maxLength={storyLengths.title}
        disabled={fromTracker}
        value={edited.title}
        onChange={(title) => set('title', title)}
      />
      <LongTextField
        label="Description"
        hint={
          fromTracker
            ? 'Change it in the tracker.'
            : tracker
              ? 'Markdown. Saved in the tracker too.'
              : 'Markdown.'
        }
        rows={8}
        maxLength={storyLengths.description}
        disabled={fromTracker}
        value={edited.description}
        onChange={(description) => set('description', description)}
      />
      <CriteriaFields
        criteria={edited.acceptanceCriteria}
        onChange={(criteria) => set('acceptanceCriteria', criteria)}
      />
      <LongTextField
        label="Demonstrate"
        hint="How a person can see that it works: at least five words, or a command. Shell commands in a code block (```sh) are run, and their output is recorded as evidence."
        rows={4}
        maxLength={storyLengths.demonstrate}
        value={edited.demonstrate}
        onChange={(steps) => set('demonstrate', steps)}
      />
      <LongTextField
        label="Test plan"
        hint="Optional. Which cases to test, and how. Coding agents get it with the story."
        rows={4}
        maxLength={storyLengths.testPlan}
        value={edited.testPlan}
        onChange={(plan) => set('testPlan', plan)}
      />
      <div className="grid gap-4 sm:grid-cols-3">
        <ChoiceField
          label="Size"
          none="Not sized"
          of={sizeNames}
          value={edited.size ?? ''}
          onChange={(value) => set('size', (value || null) as Edited['size'])}
        />
        <ChoiceField
          label="Complexity"
          none="Not rated"
          of={complexityNames}
          value={edited.complexity ?? ''}
          onChange={(value) => set('complexity', (value || null) as Edited['complexity'])}
        />
        <ChoiceField
          label="Class of service"
          of={classNames}
          value={edited.classOfService}
          onChange={(value) => set('classOfService', value as Edited['classOfService'])}
        />
      </div>
    </>
  )
}
