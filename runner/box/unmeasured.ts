import type { Isolation } from '@signalbox/contract/runner/messages.ts'

/** Nothing that was not measured is claimed. */
export const unmeasured: Isolation = {
  backend: null,
  version: null,
  environmentCleared: false,
  descendantsReaped: false,
  writesOutsideBlocked: false,
  deniedPathsBlocked: false,
  secretsUnreadable: false,
  networkOnlyToGateway: false,
}
