import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from './button.tsx'
import { DialogEnd, type DialogProps, Leaving } from './dialog-end.tsx'
import { useTyped } from './typed.ts'

/** What `Dialog` shows, once its code is there. */
export function ShownDialog({ open, onClose, title, description, children, wide }: DialogProps) {
  const typed = useTyped()
  const [asking, setAsking] = useState(false)
  const leave = () => (typed.isThere() ? setAsking(true) : onClose())
  const discard = () => {
    setAsking(false)
    typed.forget()
    onClose()
  }
  return (
    <Base.Root open={open ?? true} onOpenChange={(next) => !next && leave()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
          data-sheet
          className={`fixed z-40 flex max-h-[85dvh] flex-col border bg-raised shadow-pop outline-none inset-x-0 bottom-0 rounded-t-xl sm:inset-auto sm:top-[12dvh] sm:left-1/2 sm:w-full sm:-translate-x-1/2 sm:rounded-xl ${wide ? 'sm:max-w-2xl' : 'sm:max-w-md'}`}
        >
          <header className="pt-4 pr-14 pl-5">
            <Base.Title className="text-base font-semibold break-words">{title}</Base.Title>
            {description && (
              <Base.Description render={<div />} className="mt-1 text-sm break-words text-muted">
                {description}
              </Base.Description>
            )}
          </header>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: it only watches what bubbles up from the fields */}
          <div
            className="overflow-y-auto px-5 pt-3 pb-5"
            onFocus={typed.onFocus}
            onInput={typed.onInput}
            onSubmit={typed.onSubmit}
          >
            <Leaving value={leave}>{children}</Leaving>
          </div>
          {asking && (
            <ShownDialog title="Discard what you typed?" onClose={() => setAsking(false)}>
              <div className="text-sm text-muted">It isn’t saved yet.</div>
              <DialogEnd
                className="mt-4"
                action="Discard"
                stay="Keep editing"
                look="danger"
                onClose={() => setAsking(false)}
                onClick={discard}
              />
            </ShownDialog>
          )}
          {/* The last in order: the focus goes first to what the dialog is for. */}
          <Base.Close
            render={
              <IconButton label="Close" className="absolute! top-3 right-3">
                <X size={16} />
              </IconButton>
            }
          />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
