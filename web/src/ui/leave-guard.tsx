import { useBlocker } from '@tanstack/react-router'
import { Confirm } from './dialog.tsx'

interface Tabbed {
  tab?: string
}

/** Asks before something typed is left behind. */
export function LeaveGuard({
  when,
  what,
  onTab = false,
}: {
  when: boolean
  what: string
  /** It stands on one tab of a screen, and goes with it. */
  onTab?: boolean
}) {
  const blocker = useBlocker({
    // A filter of the same screen takes nothing away.
    shouldBlockFn: ({ current, next }) =>
      when &&
      (current.pathname !== next.pathname ||
        (onTab && (current.search as Tabbed).tab !== (next.search as Tabbed).tab)),
    enableBeforeUnload: () => when,
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
