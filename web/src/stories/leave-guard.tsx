import { useBlocker } from '@tanstack/react-router'
import { Confirm } from '../ui/dialog.tsx'

/** Asks before something typed is left behind. */
export function LeaveGuard({ when, what }: { when: boolean; what: string }) {
  const blocker = useBlocker({
    // A filter or a tab of the same screen takes nothing away.
    shouldBlockFn: ({ current, next }) => when && current.pathname !== next.pathname,
    enableBeforeUnload: () => when,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Confirm
      open
      title={`${what} is not saved`}
      action="Leave without saving"
      onClose={blocker.reset}
      onConfirm={blocker.proceed}
    >
      What you changed here would be lost.
    </Confirm>
  )
}
