import { useBlocker } from '@tanstack/react-router'
import { useContext, useEffect } from 'react'
import { Confirm } from './dialog.tsx'
import { TypedAround } from './typed.ts'

interface Tabbed {
  tab?: string
}

interface Props {
  /** Asked at the moment of leaving where it is a function. */
  when: boolean | (() => boolean)
  what: string
  /** It is on one tab of a screen, and goes with it. */
  onTab?: boolean
}

/** Asks before something typed is left behind. */
export function LeaveGuard({ when, what, onTab = false }: Props) {
  const isUnsaved = typeof when === 'function' ? when : () => when
  const around = useContext(TypedAround)
  useEffect(() => {
    if (!around) return
    around.guards += 1
    return () => {
      around.guards -= 1
    }
  }, [around])
  const blocker = useBlocker({
    // A filter of the same screen takes nothing away.
    shouldBlockFn: ({ current, next }) =>
      isUnsaved() &&
      (current.pathname !== next.pathname ||
        (onTab && (current.search as Tabbed).tab !== (next.search as Tabbed).tab)),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Confirm
      open
      title={`${what} isn’t saved`}
      action="Leave without saving"
      onClose={blocker.reset}
      onConfirm={blocker.proceed}
    >
      Your changes will be lost.
    </Confirm>
  )
}
