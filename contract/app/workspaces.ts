import { Type } from 'typebox'
import {
  maxNetworkLength,
  maxPaletteSearchLength,
  maxShortNameLength,
  maxSlugLength,
  mostNetworks,
} from '../limits.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation, proven } from './operation.ts'

const name = Type.String({ minLength: 1, maxLength: maxShortNameLength })
const slug = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: maxSlugLength })

export const Workspace = Type.Object({ slug, name, createdAt: timestamp })

/** What can be found by its words. */
export const foundNouns = ['team', 'story', 'run', 'decision', 'incident', 'service', 'requirement'] as const

export const Found = Type.Object({
  noun: oneOf(foundNouns),
  /** What is in the address of its page. */
  key: Type.String(),
  title: Type.String(),
  /** A word on where it stands: its status, its team. */
  note: nullable(Type.String()),
})
export type Found = Of<typeof Found>

/** Whom this installation reaches out to. Names and hosts, never a secret. */
export const Integrations = Type.Object({
  mail: nullable(Type.Object({ host: Type.String(), from: Type.String() })),
  splitter: nullable(Type.Object({ host: Type.String(), model: Type.String() })),
  gitHost: Type.Boolean(),
  tracker: Type.Boolean(),
  work: Type.Boolean(),
  /** Sources that can be acknowledged and resolved in the tool they come from. */
  pagers: Type.Array(
    Type.Object({
      source: uuid,
      service: nullable(uuid),
      name: Type.String(),
      kind: Type.String(),
      credentials: Type.Boolean(),
    }),
  ),
})
export type Integrations = Of<typeof Integrations>

/** What a new workspace has done of its first steps, in order; on-call goes beside them. */
export const Checklist = Type.Object({
  done: Type.Object({
    team: Type.Boolean(),
    stories: Type.Boolean(),
    repository: Type.Boolean(),
    runner: Type.Boolean(),
    story: Type.Boolean(),
    run: Type.Boolean(),
    on_call: Type.Boolean(),
  }),
  /** The first team, where the next steps are made. */
  team: nullable(Type.String()),
  putAway: Type.Boolean(),
})
export type Checklist = Of<typeof Checklist>

const networks = Type.Array(Type.String({ maxLength: maxNetworkLength }), { maxItems: mostNetworks })

export const reads = {
  'workspaces.checklist': operation(Type.Object({}), Checklist),
  'workspaces.read': operation(Type.Object({}), Workspace),
  /** A few of each noun; an empty `q` finds teams alone. */
  'workspaces.search': operation(
    Type.Object({ q: Type.Optional(Type.String({ maxLength: maxPaletteSearchLength })) }),
    Type.Object({ data: Type.Array(Found) }),
  ),
  /** Whether a token may answer what a coding agent of the same person asked. */
  'workspaces.ownAnswers': operation(Type.Object({}), Type.Object({ allowed: Type.Boolean() })),
  /** From where the workspace is used, by CIDR; an empty list: from anywhere. */
  'workspaces.networks': operation(
    Type.Object({}),
    Type.Object({
      networks,
      runnerNetworks: networks,
      address: Type.String({ description: 'from where this is asked' }),
    }),
  ),
  'workspaces.integrations': operation(Type.Object({}), Integrations),
} satisfies Operations

export const writes = {
  'workspaces.change': operation(Type.Object({ name }, { additionalProperties: false }), Type.Null()),
  'workspaces.putChecklistAway': operation(
    Type.Object({ putAway: Type.Boolean() }, { additionalProperties: false }),
    Type.Null(),
  ),
  'workspaces.setOwnAnswers': operation(
    Type.Object({ allowed: Type.Boolean() }, { additionalProperties: false }),
    Type.Null(),
  ),
  'workspaces.allowNetworks': proven(
    operation(
      Type.Object({ networks, runnerNetworks: networks }, { additionalProperties: false }),
      Type.Null(),
    ),
  ),
  'workspaces.leave': operation(Type.Object({}, { additionalProperties: false }), Type.Null()),
  /** The slug says that the right one is meant. */
  'workspaces.delete': proven(
    operation(Type.Object({ slug: Type.String() }, { additionalProperties: false }), Type.Null()),
  ),
} satisfies Operations

export const personalWrites = {
  'workspaces.create': operation(
    Type.Object({ name, slug }, { additionalProperties: false }),
    Type.Object({ slug, name }),
  ),
} satisfies Operations
