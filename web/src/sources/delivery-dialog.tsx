import { useRead } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { CopyButton } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loaded } from '../ui/page.tsx'

/** Delivery of a delivery, as text. */
interface Props {
  source: string
  delivery: string
  onClose: () => void
}

export function DeliveryDialog({ source, delivery: id, onClose }: Props) {
  const delivery = useRead('sources.delivery', { source, delivery: id })
  const json = delivery.data && JSON.stringify(delivery.data.alertList, null, 2)
  return (
    <Dialog
      wide
      onClose={onClose}
      title="Delivery"
      description={
        <>
          {delivery.data && `Received ${dateOf(delivery.data.receivedAt)}. `}
          Values that look like secrets are hidden. <code className="font-mono text-xs break-all">{id}</code>
        </>
      }
    >
      <Loaded of={delivery} lines={4}>
        {({ problem }) => (
          <div className="flex flex-col gap-3">
            {problem && <p className="text-sm break-words text-warn">{problem}</p>}
            <section
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
              tabIndex={0}
              aria-label="Alerts as JSON"
              className="max-h-[50dvh] overflow-auto rounded-md border bg-bg p-3"
            >
              <pre className="font-mono text-xs whitespace-pre-wrap break-words">{json}</pre>
            </section>
            <div>
              <CopyButton text={json ?? ''} label="Copy" withWords />
            </div>
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}
