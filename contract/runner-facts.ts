import { Type } from 'typebox'
import { maxImageLength } from './image.ts'
import { isolationKeyrings, isolationLimits, isolationUsers, modelAccesses } from './isolation.ts'
import { maxRunnerLabelLength } from './limits.ts'
import { nullable, type Of, oneOf } from './shapes.ts'
import { executor } from './team.ts'

/** What a runner says of itself. */

const text = (maxLength: number) => Type.String({ maxLength })

/** What a runner can read with git: over https whatever it is given a credential for, on its disk what its operator allows. */
export const RunnerGit = Type.Object({
  /** Null: there is no git, or one that is too old. */
  version: nullable(text(40)),
  /** Folders with repositories that its operator lets it use. */
  folders: Type.Array(Type.Object({ path: text(500), isReadable: Type.Boolean() }), { maxItems: 50 }),
})
export type RunnerGit = Of<typeof RunnerGit>

/** Single facts, each measured by playing the attempt that it would prevent. */
export const Isolation = Type.Object({
  /** What keeps the agent in: `bubblewrap`, `gvisor`, or null. */
  backend: nullable(text(40)),
  version: nullable(text(40)),
  environmentCleared: Type.Boolean(),
  descendantsReaped: Type.Boolean(),
  writesOutsideBlocked: Type.Boolean(),
  deniedPathsBlocked: Type.Boolean(),
  secretsUnreadable: Type.Boolean(),
  networkOnlyToGateway: Type.Boolean(),
  /** The kernel itself refuses what no build needs. Left out: not measured. */
  kernelFiltered: Type.Optional(Type.Boolean()),
  /** What keeps an order to its share of memory and processes. Left out: not said. */
  limits: Type.Optional(oneOf(isolationLimits)),
  /** Whether it has a keyring of its own, or the runner's, which it cannot ask for. */
  keyring: Type.Optional(oneOf(isolationKeyrings)),
  /** Whom it runs as: the runner's own user, another one because the runner is root, or root. */
  user: Type.Optional(oneOf(isolationUsers)),
  /** The image that was used instead of the machine's own programs, by its digest. Left out: they were the machine's. */
  image: Type.Optional(Type.String({ maxLength: maxImageLength })),
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
