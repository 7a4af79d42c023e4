import { createContext, type ReactNode, useContext } from 'react'
import { Button, type ButtonProps } from './button.tsx'

/** Closes the dialog around, unless something is typed in it: then it asks first. */
export const Leaving = createContext<(() => void) | null>(null)

export interface DialogProps {
  open?: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  children: ReactNode
  wide?: boolean
}

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
