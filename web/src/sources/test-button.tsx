import { useQueryClient } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { useMay } from '../api/me.ts'
import { useWorkspace, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { complain, say } from '../ui/toast.tsx'
import type { Kind } from './kinds.ts'

/** Sends an alert of the sender's kind, proven with the real secret, through the real check. */
export function TestButton({ source, kind }: { source: string; kind: Kind }) {
  const may = useMay('admin')
  const ws = useWorkspace()
  const client = useQueryClient()
  const test = useWrite('sources.test')
  return (
    <Button
      icon={<FlaskConical size={14} />}
      busy={test.isPending}
      forbidden={!may && 'Only owners and admins can manage sources'}
      onClick={() =>
        test.mutate(
          { source },
          {
            onSuccess: ({ accepted }) => {
              say(
                kind.tested ??
                  `Accepted: ${accepted} ${accepted === 1 ? 'alert' : 'alerts'}. It doesn’t open an incident.`,
              )
              // It is understood a moment after it was accepted, and what opens nothing is told to nobody.
              setTimeout(() => void client.invalidateQueries({ queryKey: [ws, 'sources'] }), 1_000)
            },
            onError: complain,
          },
        )
      }
    >
      Send test alert
    </Button>
  )
}
