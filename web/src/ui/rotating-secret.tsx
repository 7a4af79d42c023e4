import { RotateCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { dateOf } from '../browser/formats.ts'
import { Button } from './button.tsx'
import { Copyable } from './copy.tsx'
import { AskButton, Dialog, DialogEnd } from './dialog.tsx'
import { Refused } from './refused.tsx'

interface Made {
  secret: string
  until: string
}

interface Props {
  /** The placeholder of a secret that is never shown. */
  hidden: string
  /** Why the person may not; false: they may. */
  forbidden: string | false
  /** While the old secret still counts. */
  formerUntil: string | null
  /** What is said of the old secret beside the button, in the warning before the next rotation, and once it is done. */
  words: { former: string; warning: string; rotated: string; description: string; ending: string }
  /** Makes a new one, and hands it over. */
  rotate: { error: Error | null; isPending: boolean; send: (onMade: (made: Made) => void) => void }
  /** Ends the old one now. */
  end: { isPending: boolean; press: (input: null, onSettled: () => void) => void }
  /** Where the other side makes the secret: what the button and the dialog say, and the form that takes it. */
  pasted?: { title: string; form: (close: () => void) => ReactNode } | undefined
}

/** A secret, hidden, and its rotation with an overlap. What was made is held here until the dialog closes. */
export function RotatingSecret({ hidden, forbidden, formerUntil, words, rotate, end, pasted }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [shown, setShown] = useState<Made | null>(null)
  const close = () => {
    setOpen(false)
    setShown(null)
  }
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <code className="rounded-md border bg-bg px-3 py-2.5 font-mono text-xs">
          <span aria-hidden="true">{hidden}</span>
          <span className="sr-only">Hidden</span>
        </code>
        <Button
          size="small"
          icon={<RotateCw size={13} />}
          forbidden={forbidden}
          onClick={() => setOpen(true)}
        >
          {pasted ? 'Replace' : 'Rotate'}
        </Button>
      </div>
      {formerUntil && (
        <div className="flex flex-wrap items-center gap-3">
          <p className="max-w-xs text-xs text-muted">
            {words.former} until {dateOf(formerUntil)}.
          </p>
          <AskButton
            label="End it now"
            size="small"
            forbidden={forbidden}
            does={end}
            to={null}
            title="End the old secret?"
            action="End it now"
          >
            {words.ending}
          </AskButton>
        </div>
      )}
      <Dialog
        open={isOpen}
        onClose={close}
        title={pasted?.title ?? 'Rotate secret'}
        description={words.description}
      >
        {formerUntil && !shown && (
          <p className="mb-3 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
            An older secret {words.warning} until {dateOf(formerUntil)}. If you continue, it ends immediately.
          </p>
        )}
        {pasted ? (
          pasted.form(close)
        ) : shown ? (
          <div className="flex flex-col gap-3">
            <p role="status" className="text-sm">
              Copy the new secret now. You won’t see it again. The old one {words.rotated} until{' '}
              {dateOf(shown.until)}.
            </p>
            <Copyable text={shown.secret} label="Copy secret" />
            <div className="flex justify-end">
              <Button onClick={close}>I’ve copied it</Button>
            </div>
          </div>
        ) : (
          <>
            <Refused error={rotate.error} />
            <DialogEnd
              className="mt-3"
              action="Create new secret"
              busy={rotate.isPending}
              onClose={close}
              onClick={() => rotate.send(setShown)}
            />
          </>
        )}
      </Dialog>
    </div>
  )
}
