import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useWorkspace, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { complain, say } from '../ui/toast.tsx'

/** Takes the whole project away. */
export function RemovePractice() {
  const [ws, navigate, may] = [useWorkspace(), useNavigate(), useMay('owner')]
  const [asked, setAsked] = useState(false)
  const remove = useWrite('practice.remove')
  const gone = () => {
    say('Practice project removed')
    void navigate({ to: '/$ws/start', params: { ws } })
  }
  return (
    <>
      <Button
        forbidden={!may && 'Only an owner can remove the practice project'}
        onClick={() => setAsked(true)}
      >
        Remove practice project
      </Button>
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title="Remove the practice project?"
        action="Remove"
        busy={remove.isPending}
        onConfirm={() =>
          remove.mutate({}, { onSuccess: gone, onError: complain, onSettled: () => setAsked(false) })
        }
      >
        Its team, story, run, incident, service, runner and repository disappear from every list. The audit
        log still shows what happened.
      </Confirm>
    </>
  )
}
