import { maxCriteria, storyLengths } from '@signalbox/contract/limits.ts'
import { Plus, X } from 'lucide-react'
import { type ClipboardEvent, useState } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { Textarea } from '../ui/field.tsx'
import { linesOf } from './editing.ts'

interface Props {
  criteria: string[]
  onChange: (criteria: string[]) => void
}

/** One field for each criterion. A criterion whose text stays keeps what was found about it. */
export function CriteriaFields({ criteria: given, onChange }: Props) {
  // Where there is none, the first is there to be typed.
  const criteria = given.length > 0 ? given : ['']
  const [added, setAdded] = useState(-1)
  /** A list that is pasted into an empty field becomes a field for each of its lines. */
  const paste = (event: ClipboardEvent, index: number) => {
    const lines = linesOf(event.clipboardData.getData('text'))
    if (lines.length < 2 || criteria[index]!.trim() !== '') return
    event.preventDefault()
    onChange(criteria.toSpliced(index, 1, ...lines))
  }
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Acceptance criteria</legend>
      <ol className="flex flex-col gap-2">
        {criteria.map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a criterion has no name but its place while it is typed
          <li key={index} className="flex items-start gap-1">
            <Textarea
              autoFocus={index === added}
              aria-label={`Criterion ${index + 1}`}
              rows={2}
              maxLength={storyLengths.criterion}
              value={text}
              onChange={({ target }) => onChange(criteria.with(index, target.value))}
              onPaste={(event) => paste(event, index)}
            />
            <IconButton
              label={`Remove criterion ${index + 1}`}
              onClick={() => onChange(criteria.toSpliced(index, 1))}
            >
              <X size={14} />
            </IconButton>
          </li>
        ))}
      </ol>
      <p className="mt-1 text-xs text-muted">Write each as a sentence with an observable result.</p>
      <Button
        size="small"
        className="mt-2"
        icon={<Plus size={14} />}
        forbidden={criteria.length >= maxCriteria && `A story can have up to ${maxCriteria} criteria`}
        onClick={() => {
          setAdded(criteria.length)
          onChange([...criteria, ''])
        }}
      >
        Add criterion
      </Button>
    </fieldset>
  )
}
