import { type ReactNode, useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { DialogEnd, type DialogProps } from './dialog-end.tsx'
import { later } from './later.ts'
import { complain } from './toast.tsx'

export { DialogEnd, type DialogProps }

const shown = later(() => import('./dialog-shown.tsx'))

/**
 * A dialog in the middle of the screen; on a phone a sheet from below. Never used for what is only read. Escape, the
 * cross, Cancel and a click beside it ask before something typed is lost.
 */
export function Dialog({ open = true, ...dialog }: DialogProps) {
  const there = shown.useWhen(open, (error) => {
    complain(error)
    dialog.onClose()
  })
  return there && <there.ShownDialog open={open} {...dialog} />
}

interface ConfirmProps extends Omit<DialogProps, 'description' | 'wide' | 'children'> {
  children?: ReactNode
  action: string
  stay?: string
  busy?: boolean
  onConfirm: () => void
}

/** Asks before something that cannot be undone. `title` names what it is about. */
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

/** A button that asks before it does something that cannot be undone. */
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
