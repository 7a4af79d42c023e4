import type { ComponentProps, ReactNode } from 'react'
import { Tooltip } from './tooltip.tsx'

const looks = {
  primary: 'bg-accent-fill text-white border-transparent hover:brightness-110 active:brightness-95',
  plain: 'bg-surface text-text border-line-strong hover:bg-hover',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-hover hover:text-text',
  danger: 'bg-danger-fill text-white border-transparent hover:brightness-110 active:brightness-95',
}

// A finger needs 44 pixels.
const sizes = {
  normal: 'h-8 pointer-coarse:h-[44px] px-3 gap-2 text-sm',
  small: 'h-7 pointer-coarse:h-[44px] px-2 pointer-coarse:px-3 gap-1.5 text-xs',
  large: 'h-10 pointer-coarse:h-[44px] px-4 gap-2 text-base',
  icon: 'size-8 pointer-coarse:size-[44px] justify-center',
}

export interface ButtonProps extends ComponentProps<'button'> {
  look?: keyof typeof looks
  size?: keyof typeof sizes
  /** Why it cannot be pressed. It stays visible and reachable, and says so. */
  forbidden?: string | false | undefined
  busy?: boolean
  icon?: ReactNode
}

export const buttonClass = (look: keyof typeof looks = 'plain', size: keyof typeof sizes = 'normal') =>
  `inline-flex items-center justify-center rounded-md border font-medium whitespace-nowrap select-none transition-colors disabled:opacity-60 aria-disabled:opacity-60 ${looks[look]} ${sizes[size]}`

export function Button({
  look = 'plain',
  size = 'normal',
  forbidden,
  busy,
  icon,
  children,
  className = '',
  onClick,
  ...rest
}: ButtonProps) {
  const button = (
    <button
      type="button"
      {...rest}
      aria-disabled={forbidden || busy ? true : rest['aria-disabled']}
      aria-description={forbidden || rest['aria-description']}
      className={`${buttonClass(look, size)} ${className}`}
      onClick={forbidden || busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  )
  return forbidden ? (
    <Tooltip text={forbidden} onPress>
      {button}
    </Tooltip>
  ) : (
    button
  )
}

/** A button that is only a picture; its label is for those who cannot see it, and for a tooltip. */
export function IconButton({ label, children, ...rest }: Omit<ButtonProps, 'icon'> & { label: string }) {
  const button = (
    <Button look="quiet" size="icon" aria-label={label} {...rest}>
      {children}
    </Button>
  )
  return rest.forbidden ? button : <Tooltip text={label}>{button}</Tooltip>
}

export const Spinner = () => (
  <span
    aria-hidden="true"
    className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
  />
)
