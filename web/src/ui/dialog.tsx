import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { Button, type ButtonProps, IconButton } from './button.tsx'
import { useTyped } from './typed.ts'

/** Closes the dialog around, unless something is typed in it: then it asks first. */
const Leaving = createContext<(() => void) | null>(null)

export interface DialogProps {
  open?: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  children: ReactNode
  wide?: boolean
}

/**
 * A dialog in the middle of the screen; on a phone a sheet from below. Never used for what is only read. Escape, the
 * cross, Cancel and a click beside it ask before something typed is lost.
 */
export function Dialog({ open = true, onClose, title, description, children, wide }: DialogProps) {
  const typed = useTyped()
  const [asking, setAsking] = useState(false)
  const leave = () => (typed.isThere() ? setAsking(true) : onClose())
  const discard = () => {
    setAsking(false)
    typed.forget()
    onClose()
  }
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && leave()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
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
            <Confirm
              title="Discard what you typed?"
              action="Discard"
              stay="Keep editing"
              onClose={() => setAsking(false)}
              onConfirm={discard}
            >
              It isn’t saved yet.
            </Confirm>
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

interface ConfirmProps extends Omit<DialogProps, 'description' | 'wide' | 'children'> {
  children?: ReactNode
  action: string
  stay?: string
  busy?: boolean
  onConfirm: () => void
}

/** Asks before something that cannot be taken back. `title` names what it is about. */
export const Confirm = ({ children, action, stay, busy = false, onConfirm, ...dialog }: ConfirmProps) => (
  <Dialog {...dialog}>
    <div className="text-sm text-muted">{children}</div>
    <DialogEnd
      className="mt-4"
      action={action}
      stay={stay}
      look="danger"
      busy={busy}
      onClose={dialog.onClose}
      onClick={onConfirm}
    />
  </Dialog>
)

type OpeningProps = Omit<ButtonProps, 'children' | 'onClick'> & { label: ReactNode }

/** A button and the dialog that it opens, which begins afresh each time. */
export function OpenButton({
  label,
  children,
  ...button
}: OpeningProps & { children: (close: () => void) => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  )
}

interface AskProps<I> {
  title: string
  action: string
  does: { isPending: boolean; press: (input: I, onSettled: () => void) => void }
  /** What it is done with. */
  to: I
  /** What it means. */
  children: ReactNode
}

/** A button that asks before it does something that cannot be taken back. */
export const AskButton = <I,>({
  does,
  to,
  title,
  action,
  children,
  ...button
}: OpeningProps & AskProps<I>) => (
  <OpenButton {...button}>
    {(close) => (
      <Confirm
        title={title}
        action={action}
        busy={does.isPending}
        onClose={close}
        onConfirm={() => does.press(to, close)}
      >
        {children}
      </Confirm>
    )}
  </OpenButton>
)

interface DialogEndProps extends Pick<ButtonProps, 'busy' | 'look' | 'forbidden' | 'onClick'> {
  action: string
  stay?: string | undefined
  onClose: () => void
  className?: string
}

/** The way out of a dialog and the way on, which sends the form around it unless it does something else. */
export function DialogEnd({ action, stay = 'Cancel', onClose, className = '', ...rest }: DialogEndProps) {
  const leave = useContext(Leaving)
  return (
    <div className={`flex justify-end gap-2 ${className}`}>
      <Button onClick={leave ?? onClose}>{stay}</Button>
      <Button type={rest.onClick ? 'button' : 'submit'} look="primary" {...rest}>
        {action}
      </Button>
    </div>
  )
}
