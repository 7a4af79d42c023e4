import type { ButtonProps } from './button.tsx'
import { Dialog, DialogEnd, type DialogProps } from './dialog.tsx'
import { Form, type Given } from './form.tsx'
import { Refused } from './refused.tsx'

interface Props extends DialogProps, Pick<ButtonProps, 'look' | 'forbidden'> {
  /** What it sends, and how that goes. */
  of: { isPending: boolean; error: Error | null }
  action: string
  onSend: (given: Given) => void
}

/** A form in a dialog: what is filled in, what went wrong, the way out and the way on. */
export const FormDialog = ({
  of,
  action,
  look = 'primary',
  forbidden,
  onSend,
  children,
  ...dialog
}: Props) => (
  <Dialog {...dialog}>
    <Form onSend={(given) => !forbidden && !of.isPending && onSend(given)}>
      {children}
      <Refused error={of.error} />
      <DialogEnd
        className="flex-wrap"
        action={action}
        look={look}
        forbidden={forbidden}
        busy={of.isPending}
        onClose={dialog.onClose}
      />
    </Form>
  </Dialog>
)
