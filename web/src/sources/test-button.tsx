import { useQueryClient } from '@tanstack/react-query'
import { FlaskConical, Siren } from 'lucide-react'
import { useForbidden } from '../api/me.ts'
import { useWorkspace } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import type { Kind } from './kinds.ts'

/** Sends an alert of the sender's kind, proven with the real secret, through the real check. */
export function TestButton({ source, kind }: { source: string; kind: Kind }) {
  const forbidden = useForbidden('manage sources')
  const ws = useWorkspace()
  const client = useQueryClient()
  const test = useAction('sources.test', {
    said: ({ accepted }, { opensIncident }) =>
      opensIncident
        ? 'Test alert sent. It opens an incident marked as a test.'
        : (kind.tested ??
          `Accepted: ${accepted} ${accepted === 1 ? 'alert' : 'alerts'}. It doesn’t open an incident.`),
    // It is understood a moment after it was accepted, and what opens nothing is announced to no one.
    next: () => setTimeout(() => void client.invalidateQueries({ queryKey: [ws, 'sources'] }), 1_000),
  })
  const send = (opensIncident: boolean) => test.press({ source, opensIncident })
  const common = {
    busy: test.isPending,
    forbidden: forbidden,
  } as const
  return (
    <>
      <Button {...common} icon={<FlaskConical size={14} />} onClick={() => send(false)}>
        Send test alert
      </Button>
      <Button {...common} icon={<Siren size={14} />} onClick={() => send(true)}>
        Open test incident
      </Button>
    </>
  )
}
