import { storyLengths } from '@signalbox/contract/limits.ts'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useAction } from '../ui/action.ts'
import { OpenButton } from '../ui/dialog.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { useGo } from '../ui/link.ts'
import { LongTextField, TextField } from '../ui/text-field.tsx'

/** Creates a story in Backlog; what it still needs is added on its page. */
export const NewStory = ({ team }: { team: string }) => (
  <OpenButton label="Create story" icon={<Plus size={14} />}>
    {(close) => <NewStoryDialog team={team} onClose={close} />}
  </OpenButton>
)

function NewStoryDialog({ team, onClose }: { team: string; onClose: () => void }) {
  const go = useGo()
  const [title, setTitle] = useState('')
  const [description, setDescription] = useState('')
  const create = useAction('stories.create', {
    alsoStale: ['teams'],
    said: ({ key }) => `${key} created`,
    next: ({ key }) => {
      onClose()
      void go({ to: '/$ws/stories/$key', params: { key } })
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title="Create story"
      description="It starts in Backlog. If the team has a tracker, an issue is created too."
      of={create}
      action="Create story"
      forbidden={!title.trim() && 'Enter a title'}
      onSend={() => create.send({ team, title, description })}
    >
      <TextField label="Title" required maxLength={storyLengths.title} value={title} onChange={setTitle} />
      <LongTextField
        label="Description"
        hint="Markdown. You can add criteria and a Demonstrate step afterwards."
        rows={6}
        maxLength={storyLengths.description}
        value={description}
        onChange={setDescription}
      />
    </FormDialog>
  )
}
