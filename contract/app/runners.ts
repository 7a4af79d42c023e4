import { Type } from 'typebox'
import { isolationLevels } from '../isolation.ts'
import { runKey, storyKey } from '../keys.ts'
import { runStages } from '../run.ts'
import { Isolation, RunnerExecutor } from '../runner-facts.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'

export const runnerStates = ['active', 'paused', 'draining'] as const

export const RunnerRow = Type.Object({
  id: uuid,
  name: Type.String(),
  version: Type.String(),
  os: Type.String(),
  arch: Type.String(),
  labels: Type.Array(Type.String()),
  online: Type.Boolean(),
  state: oneOf(runnerStates),
  executors: Type.Array(RunnerExecutor),
  isolation: Isolation,
  /** What the facts amount to. */
  level: oneOf(isolationLevels),
  slots: Type.Integer(),
  /** What it works on now. */
  works: Type.Array(
    Type.Object({
      run: runKey,
      /** null: it surveys the repository of the team that `title` names. */
      story: nullable(storyKey),
      title: Type.String(),
      stage: oneOf(runStages),
    }),
  ),
  lastSeenAt: timestamp,
  connectedAt: timestamp,
  /** What it signs in with: revoked, the runner is offline. */
  token: Type.Object({ name: Type.String(), prefix: Type.String(), owner: Type.String() }),
  /** Free bytes where it works; null: it has not said. */
  diskFree: nullable(Type.Integer()),
})
export type RunnerRow = Of<typeof RunnerRow>

export const reads = {
  /** By name. */
  'runners.list': operation(Type.Object({}), Type.Object({ data: Type.Array(RunnerRow) })),
} satisfies Operations

const one = Type.Object({ id: uuid }, { additionalProperties: false })

export const writes = {
  /** It finishes what it has and takes nothing more, until it is resumed. */
  'runners.pause': operation(one, Type.Null()),
  'runners.resume': operation(one, Type.Null()),
  /** It finishes what it has and stops. */
  'runners.drain': operation(one, Type.Null()),
  /** Off the list; what it had is handed back. */
  'runners.remove': operation(one, Type.Null()),
} satisfies Operations
