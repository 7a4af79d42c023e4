import type { RemovedRunner } from '@signalbox/contract/app/runners.ts'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Time } from '../ui/time.tsx'
import { complain, say } from '../ui/toast.tsx'

/** Runners that can come back with their own key, until someone forgets them. */
export function RemovedRunners() {
  const removed = useRead('runners.removed', {})
  const forbidden = !useMay('admin') && 'Only owners and admins can change runners'
  const [asked, setAsked] = useState<RemovedRunner | null>(null)
  const data = removed.data?.data ?? []
  if (data.length === 0) return null
  return (
    <details className="mt-6 text-sm">
      <summary className="min-h-6 cursor-pointer text-muted">Removed runners ({data.length})</summary>
      <div className="mt-2 flex max-w-2xl flex-col gap-2">
        {data.map((runner) => (
          <div key={runner.id} className="flex flex-wrap items-center justify-between gap-2">
            <span className="min-w-0 break-words">
              {runner.name}{' '}
              <span className="text-muted">
                last seen <Time at={runner.lastSeenAt} />
              </span>
            </span>
            <Button
              size="small"
              forbidden={forbidden}
              aria-label={`Forget ${runner.name}`}
              onClick={() => setAsked(runner)}
            >
              Forget
            </Button>
          </div>
        ))}
      </div>
      {asked && <Forget runner={asked} onClose={() => setAsked(null)} />}
    </details>
  )
}

function Forget({ runner: { id, name }, onClose }: { runner: RemovedRunner; onClose: () => void }) {
  const forget = useWrite('runners.forget')
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Forget ${name}?`}
      action="Forget"
      busy={forget.isPending}
      onConfirm={() =>
        forget.mutate(
          { id },
          { onSuccess: () => say(`${name} was forgotten`), onError: complain, onSettled: onClose },
        )
      }
    >
      A machine with the same runner ID and another key can then connect as a new runner. Do this only if you
      lost the key of {name}.
    </Confirm>
  )
}
