import type { ModelAccess } from '@signalbox/contract/isolation.ts'
import type { executors } from '@signalbox/contract/team.ts'
import type { Upstreams } from '../gateway/apis.ts'
import { type Preset, presets } from './presets.ts'
import { findSignIn, type SignIn, type SignInPlace } from './sign-in.ts'

type Executor = (typeof executors)[number]

export interface AccessOptions extends SignInPlace {
  upstreams: Upstreams
  /** Agents whose subscription the operator lets them use. */
  subscriptions: readonly string[]
}

/** A key goes first: what it pays for is counted. Undefined: a program's or a script's own affair. */
export function accessOf(executor: Executor, options: AccessOptions): ModelAccess | undefined {
  const preset = presetOf(executor)
  if (!preset) return undefined
  if (options.upstreams[preset.api]) return 'gateway'
  return signInFor(executor, options) ? 'subscription' : 'none'
}

/** What an agent signs in with on its own; null: there is a key, or nothing that it may use. */
export function signInFor(executor: Executor, options: AccessOptions): SignIn | null {
  const preset = presetOf(executor)
  if (!preset || options.upstreams[preset.api] || !options.subscriptions.includes(executor)) return null
  return findSignIn(executor, options)
}

export const presetOf = (executor: Executor): Preset | undefined =>
  Object.values(presets).find((preset) => preset.executor === executor)
