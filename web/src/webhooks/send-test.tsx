import type { ResponseOf } from '@signalbox/contract/app/operation.ts'
import type { writes } from '@signalbox/contract/app/webhooks.ts'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { useForbidden } from '../api/me.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Answer } from './answer.tsx'

type Tested = ResponseOf<(typeof writes)['webhooks.test']>

/** Sends a test event, and shows what came back, on the spot. */
export function SendTest({ endpoint }: { endpoint: string }) {
  const forbidden = useForbidden('manage webhooks')
  const [tested, setTested] = useState<Tested | null>(null)
  const test = useAction('webhooks.test', { next: setTested })
  return (
    <>
      <Button icon={<FlaskConical size={14} />} forbidden={forbidden} {...test.button({ webhook: endpoint })}>
        Send test event
      </Button>
      <Dialog
        open={tested !== null}
        onClose={() => setTested(null)}
        title={isReceived(tested) ? 'Test event delivered' : 'Test event not delivered'}
        description="A test event is sent once and never retried."
        wide
      >
        {tested && <Answer of={tested} />}
      </Dialog>
    </>
  )
}

const isReceived = (tested: Tested | null) =>
  tested?.status != null && tested.status >= 200 && tested.status < 300
