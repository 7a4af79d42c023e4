import { storyLengths } from '@signalbox/contract/limits.ts'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useWorkspace, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogEnd } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { Refused } from '../ui/refused.tsx'
import { LongTextField, TextField } from '../ui/text-field.tsx'
import { say } from '../ui/toast.tsx'

/** Creates a story in Backlog; what it still needs is added on its page. */
export function NewStory({ team }: { team: string }) {
  const [ws, navigate] = [useWorkspace(), useNavigate()]
  const create = useWrite('stories.create', { alsoStale: ['teams'] })
  const [open, setOpen] = useState(false)
  const [title, setTitle] = useState('')
  const [description, setDescription] = useState('')
  const ask = () => {
    setTitle('')
    setDescription('')
    create.reset()
    setOpen(true)
  }
  const submit = () => {
    if (!title.trim() || create.isPending) return
    create.mutate(
      { team, title, description },
      {
        onSuccess: ({ key }) => {
          say(`${key} created`)
          setOpen(false)
          void navigate({ to: '/$ws/stories/$key', params: { ws, key } })
        },
      },
    )
  }
  return (
    <>
      <Button icon={<Plus size={14} />} onClick={ask}>
        Create story
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Create story"
        description="It starts in Backlog. If the team has a tracker, an issue is created too."
      >
        <Form onSend={submit}>
          <TextField
            label="Title"
            required
            maxLength={storyLengths.title}
            value={title}
            onChange={setTitle}
          />
          <LongTextField
            label="Description"
            hint="Markdown. You can add criteria and a Demonstrate step afterwards."
            rows={6}
            maxLength={storyLengths.description}
            value={description}
            onChange={setDescription}
          />
          <Refused error={create.error} />
          <DialogEnd
            action="Create story"
            busy={create.isPending}
            forbidden={!title.trim() && 'Enter a title'}
            onClose={() => setOpen(false)}
          />
        </Form>
      </Dialog>
    </>
  )
}
