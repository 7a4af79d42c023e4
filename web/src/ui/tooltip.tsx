import {
  cloneElement,
  type FocusEvent,
  type MouseEvent,
  type PointerEvent,
  useId,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { later } from './later.ts'
import type { Tooltipped } from './tooltip-hovering.tsx'

const hovering = later(() => import('./tooltip-hovering.tsx'))

/** How long a pointer rests on something before it asks what that is. */
const restMs = 300

/**
 * Shown on hover and on focus; Escape puts it away. Until someone rests on it, it is what it is about and nothing more:
 * a screen has many of them, and few are looked at.
 */
export function Tooltip(props: Tooltipped) {
  const id = useId()
  const [there, setThere] = useState<Awaited<ReturnType<typeof hovering.load>> | null>(null)
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined)
  if (there) return <there.Hovering {...props} id={id} />

  const { children, onPress } = props
  const show = async (isStillMeant: () => boolean) => {
    const code = await hovering.load().catch(() => null)
    // Immediately: the element is replaced, and a press must not begin on the one and end on the other.
    if (code && isStillMeant()) flushSync(() => setThere(code))
  }
  return cloneElement(children, {
    'data-tooltip': id,
    onPointerEnter: ({ currentTarget: element, pointerType }: PointerEvent) => {
      if (pointerType === 'touch') return
      const isResting = () => element.matches(':hover:not(:active)')
      rest.current = setTimeout(() => isResting() && void show(isResting), restMs)
    },
    onPointerLeave: () => clearTimeout(rest.current),
    onFocus: ({ currentTarget: element }: FocusEvent) => {
      const isFocused = () => element.matches(':focus-visible:not(:active)')
      if (isFocused()) void show(isFocused)
    },
    ...(onPress
      ? {
          onClick: (event: MouseEvent) => {
            ;(children.props.onClick as ((event: MouseEvent) => void) | undefined)?.(event)
            void show(() => true)
          },
        }
      : {}),
  })
}
