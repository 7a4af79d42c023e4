import type { Challenge, Challenged } from '@signalbox/contract/runner/messages.ts'
import type { Context } from '../../context.ts'
import type { Challenges } from './challenges.ts'
import { selectRegistrations } from './store.ts'

/** What a start of a runner has to sign to be let in. An unknown instance is asked in the same way. */
export async function challengeRunner(
  { db, clock, workspaceId }: Pick<Context, 'db' | 'clock' | 'workspaceId'>,
  challenges: Challenges,
  { instance, boot }: Challenge,
): Promise<Challenged> {
  const registrations = await selectRegistrations(db, workspaceId, instance)
  return { challenge: challenges.make({ workspaceId, instance, boot, registrations }, clock.now()) }
}
