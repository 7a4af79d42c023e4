import type { RunnerExecutor } from '@signalbox/contract/runner/messages.ts'
import { type AccessOptions, accessOf, presetOf } from '../agents/access.ts'
import { findSignIn, isExpired, subscribable } from '../agents/sign-in.ts'
import { keyOf } from '../gateway/apis.ts'
import type { Finding } from './finding.ts'

/** How each agent of this machine reaches its model: by a key, by a subscription, or not yet. */
export function findAccess(
  executors: RunnerExecutor['name'][],
  options: AccessOptions,
  now: Date = new Date(),
): Finding[] {
  return executors.flatMap((executor) => {
    const preset = presetOf(executor)
    const access = accessOf(executor, options)
    if (!preset || !access) return []
    const what = `${executor} model`
    const key = keyOf(preset.api)
    if (access === 'gateway')
      return [{ what, state: 'fine', found: `${key}, every call metered`, remedy: null }]
    const weak = (found: string, remedy: string): Finding[] => [{ what, state: 'weak', found, remedy }]
    const signIn = findSignIn(executor, options)
    const canSubscribe = subscribable.includes(executor)
    if (!signIn) {
      const or = canSubscribe
        ? `, or sign in with a subscription and allow it: --subscriptions ${executor}`
        : ''
      return weak(`no key${canSubscribe ? ' and no sign-in' : ''}`, `Set ${key} for the runner${or}.`)
    }
    if (isExpired(signIn, now)) return weak(`the sign-in in ${signIn.from} has expired`, signIn.renewal)
    if (access === 'none')
      return weak(
        `signed in (${signIn.from}), not allowed to use it`,
        `Set ${key} for the runner, or allow the subscription: --subscriptions ${executor}. The agent can then read the sign-in, and its costs are what it reports itself.`,
      )
    return weak(
      `subscription (${signIn.from}); costs are reported by the agent, not metered`,
      `Teams whose policy requires a closed box can't use it. Set ${key} to have every call metered.`,
    )
  })
}
