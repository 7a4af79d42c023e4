import { Button, type ButtonProps } from '../ui/button.tsx'
import { Wrong } from '../ui/refused.tsx'

/** How a form in a dialog ends: what the server had against it, the way out, and the way on. */
export function FormEnd({
  wrong,
  action,
  onClose,
  ...rest
}: Pick<ButtonProps, 'busy' | 'look' | 'forbidden'> & {
  wrong: string | undefined
  action: string
  onClose: () => void
}) {
  return (
    <>
      <Wrong>{wrong}</Wrong>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" {...rest}>
          {action}
        </Button>
      </div>
    </>
  )
}
