import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, type ButtonProps, IconButton } from './button.tsx'

/** A dialog in the middle of the screen; on a phone a sheet from below. Never used for what is only read. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  children,
  wide,
}: {
  open: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  children: ReactNode
  wide?: boolean
}) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
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
          <div className="overflow-y-auto px-5 pt-3 pb-5">{children}</div>
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

/** Asks before something that cannot be taken back. `title` names what it is about. */
export function Confirm({
  open,
  onClose,
  title,
  children,
  action,
  busy = false,
  onConfirm,
}: {
  open: boolean
  onClose: () => void
  title: string
  children?: ReactNode
  action: string
  busy?: boolean
  onConfirm: () => void
}) {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <div className="text-sm text-muted">{children}</div>
      <DialogEnd
        className="mt-4"
        action={action}
        look="danger"
        busy={busy}
        onClose={onClose}
        onClick={onConfirm}
      />
    </Dialog>
  )
}

/** The way out of a dialog and the way on, which sends the form around it unless it does something else. */
export const DialogEnd = ({
  action,
  onClose,
  className = '',
  ...rest
}: Pick<ButtonProps, 'busy' | 'look' | 'forbidden' | 'onClick'> & {
  action: string
  onClose: () => void
  className?: string
}) => (
  <div className={`flex justify-end gap-2 ${className}`}>
    <Button onClick={onClose}>Cancel</Button>
    <Button type={rest.onClick ? 'button' : 'submit'} look="primary" {...rest}>
      {action}
    </Button>
  </div>
)
