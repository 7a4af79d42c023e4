import { Type } from 'typebox'
import { isolationLevels } from '../isolation.ts'
import { runKey, storyKey, teamSlug } from '../keys.ts'
import { runStages } from '../run.ts'
import { Isolation, RunnerExecutor, RunnerGit } from '../runner-facts.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'

export const runnerStates = ['pending', 'active', 'paused', 'draining'] as const

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
  /** Null: an older runner does not say. */
  git: nullable(RunnerGit),
  /** The repositories of the teams it works for, and whether it can read them; null: it does not say. */
  repositories: Type.Array(
    Type.Object({ team: teamSlug, name: Type.String(), isReadable: nullable(Type.Boolean()) }),
  ),
  /** Whether it belongs to the practice project. */
  isPractice: Type.Boolean(),
  /** What the facts amount to. */
  level: oneOf(isolationLevels),
  /** Whether it can do work that runs in an image. */
  takesImages: Type.Boolean(),
  slots: Type.Integer(),
  /** What it works on now. */
  works: Type.Array(
    Type.Object({
      run: runKey,
      /** null: it surveys the repository of the team that `title` names. */
      story: nullable(storyKey),
      title: Type.String(),
      stage: oneOf(runStages),
      /** When it last made progress. Heartbeats alone are none. */
      progressAt: timestamp,
    }),
  ),
  /** The teams it works for; none: all of them. */
  teams: Type.Array(Type.Object({ slug: teamSlug, name: Type.String() })),
  /** Whether it is pinned to teams: those that were deleted are not among `teams`. */
  isPinned: Type.Boolean(),
  /** What it was given since it is known: orders, and credentials for git to read and to write. */
  given: Type.Object({ orders: Type.Integer(), reads: Type.Integer(), writes: Type.Integer() }),
  lastSeenAt: timestamp,
  connectedAt: timestamp,
  /** What it signs in with: revoked, the runner is offline. */
  token: Type.Object({ name: Type.String(), prefix: Type.String(), owner: Type.String() }),
  /** Free bytes where it works; null: it has not said. */
  diskFree: nullable(Type.Integer()),
})
export type RunnerRow = Of<typeof RunnerRow>

/** A runner that was removed and whose instance is still its own. */
export const RemovedRunner = Type.Object({ id: uuid, name: Type.String(), lastSeenAt: timestamp })
export type RemovedRunner = Of<typeof RemovedRunner>

/** The runner that this server hands out; null: it was not built. */
export const RunnerProgram = nullable(
  Type.Object({
    /** Below the address of the server. */
    path: Type.String(),
    sha256: Type.String(),
    bytes: Type.Integer(),
    /** The oldest Node that runs it. */
    leastNode: Type.Integer(),
  }),
)
export type RunnerProgram = Of<typeof RunnerProgram>

export const reads = {
  /** What to paste on a machine is made of it. */
  'runners.program': operation(
    Type.Object({}),
    Type.Object({
      program: RunnerProgram,
      /** Those that repositories of this workspace are in. */
      folders: Type.Array(Type.String()),
      /** Starts this server again with a runner next to it; null: it was not started by a person at a terminal. */
      restart: nullable(Type.String()),
    }),
  ),
  /** By name. */
  'runners.list': operation(Type.Object({}), Type.Object({ data: Type.Array(RunnerRow) })),
  /** Latest first. */
  'runners.removed': operation(Type.Object({}), Type.Object({ data: Type.Array(RemovedRunner) })),
  /** Whether an owner or admin has to approve each new runner. */
  'runners.approval': operation(Type.Object({}), Type.Object({ required: Type.Boolean() })),
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
  /** Of one that waits for approval. */
  'runners.approve': operation(one, Type.Null()),
  'runners.reject': operation(one, Type.Null()),
  /** Of one that was removed: the next start with its instance is a new runner. */
  'runners.forget': operation(one, Type.Null()),
  /** Has it work for these teams alone; for none of them: for all. */
  'runners.pin': operation(
    Type.Object(
      { id: uuid, teams: Type.Array(teamSlug, { maxItems: 200 }) },
      { additionalProperties: false },
    ),
    Type.Null(),
  ),
  'runners.setApproval': operation(
    Type.Object({ required: Type.Boolean() }, { additionalProperties: false }),
    Type.Null(),
  ),
} satisfies Operations
