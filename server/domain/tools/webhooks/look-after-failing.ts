import type { Context } from '../../context.ts'
import { selectFailingOfAllWorkspaces } from './store.ts'
import { turnOff, warnOwners } from './turn-off.ts'

const dayMs = 86_400_000
const offAfterMs = 5 * dayMs

/**
 * Handles endpoints that nothing got through to: after a day their owners are told, after five days they are turned
 * off.
 */
export async function lookAfterFailing(services: Pick<Context, 'db' | 'clock' | 'queue'>): Promise<void> {
  const now = services.clock.now().getTime()
  for (const one of await selectFailingOfAllWorkspaces(services.db, new Date(now - dayMs))) {
    if (now - one.failingSince.getTime() >= offAfterMs)
      await turnOff(services, one, 'failing', one.failingSince)
    else if (!one.isWarned) await warnOwners(services, one, one.failingSince)
  }
}
