import { Type } from 'typebox'
import { modelAccesses } from './isolation.ts'
import { maxRunnerLabelLength } from './limits.ts'
import { nullable, type Of, oneOf } from './shapes.ts'
import { executor } from './team.ts'

/** What a runner says of itself. */

const text = (maxLength: number) => Type.String({ maxLength })

/** Single facts, each measured by playing the attempt that it would prevent. */
export const Isolation = Type.Object({
  /** What keeps the agent in: `bubblewrap`, or null. */
  backend: nullable(text(40)),
  version: nullable(text(40)),
  environmentCleared: Type.Boolean(),
  descendantsReaped: Type.Boolean(),
  writesOutsideBlocked: Type.Boolean(),
  deniedPathsBlocked: Type.Boolean(),
  secretsUnreadable: Type.Boolean(),
  networkOnlyToGateway: Type.Boolean(),
})
export type Isolation = Of<typeof Isolation>

/** As `--labels` takes it: no comma, and no space around it. */
export const runnerLabel = Type.String({
  minLength: 1,
  maxLength: maxRunnerLabelLength,
  pattern: '^[^\\s,]([^,]*[^\\s,])?$',
})

export const RunnerExecutor = Type.Object({
  name: executor,
  via: oneOf(['native', 'acp', 'command', 'scripted']),
  version: nullable(text(80)),
  /** How it reaches its model. Left out: nothing is known of it, as of a script. */
  access: Type.Optional(oneOf(modelAccesses)),
})
export type RunnerExecutor = Of<typeof RunnerExecutor>
