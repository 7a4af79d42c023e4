import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'

/** The filters of a list: above it, in a row, each saying "Any …" while it is not set, and one button to clear them. */
export const Filters = ({
  of,
  isSet,
  onClear,
  children,
}: {
  /** What is filtered. */
  of: string
  isSet: boolean
  onClear: () => void
  children: ReactNode
}) => (
  <search
    aria-label={`Filter ${of}`}
    className="mb-4 grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap sm:[&_input:not([type=checkbox])]:w-44 sm:[&_select]:w-44"
  >
    {children}
    {isSet && (
      <Button look="quiet" icon={<X size={14} aria-hidden="true" />} onClick={onClear}>
        Clear filters
      </Button>
    )}
  </search>
)
