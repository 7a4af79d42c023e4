import type { RunnerRow } from '@signalbox/contract/app/runners.ts'
import { useState } from 'react'
import { useRead, useWrite } from '../api/queries.ts'
import { Dialog, DialogEnd } from '../ui/dialog.tsx'
import { Loaded } from '../ui/page.tsx'
import { Ticks } from '../ui/ticks.tsx'
import { complain, say } from '../ui/toast.tsx'

/** Which teams a runner works for. */
export function RunnerTeams({ runner, onClose }: { runner: RunnerRow; onClose: () => void }) {
  const teams = useRead('teams.list', {})
  const pin = useWrite('runners.pin')
  const [chosen, setChosen] = useState(runner.teams.map(({ slug }) => slug))
  const { id, name } = runner
  const save = () =>
    pin.mutate(
      { id, teams: chosen },
      { onSuccess: () => say('Changes saved'), onError: complain, onSettled: onClose },
    )
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Teams of ${name}`}
      description="The runner works for these teams only. Choose none to let it work for all of them. It finishes its current work first."
    >
      <Loaded of={teams} lines={3}>
        {(all) => (
          <div className="flex flex-col">
            <Ticks
              all={all.map(({ slug, name: team }) => ({ id: slug, name: team }))}
              chosen={chosen}
              onChange={setChosen}
            />
          </div>
        )}
      </Loaded>
      <DialogEnd className="mt-4" action="Save" busy={pin.isPending} onClose={onClose} onClick={save} />
    </Dialog>
  )
}
