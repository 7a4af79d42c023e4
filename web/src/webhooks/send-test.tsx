import type { ResponseOf } from '@signalbox/contract/app/operation.ts'
import type { writes } from '@signalbox/contract/app/webhooks.ts'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { complain } from '../ui/toast.tsx'
import { Answer } from './answer.tsx'
import { onlyAdmins } from './words.ts'

type Tested = ResponseOf<(typeof writes)['webhooks.test']>

/** Sends a test event, and shows what came back, on the spot. */
export function SendTest({ endpoint }: { endpoint: string }) {
  const may = useMay('admin')
  const test = useWrite('webhooks.test')
  const [tested, setTested] = useState<Tested | null>(null)
  return (
    <>
      <Button
        icon={<FlaskConical size={14} />}
        busy={test.isPending}
        forbidden={!may && onlyAdmins}
        onClick={() => test.mutate({ webhook: endpoint }, { onSuccess: setTested, onError: complain })}
      >
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
