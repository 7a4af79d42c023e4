import { Type } from 'typebox'
import { insides, maxImageLength } from '../image.ts'
import { teamSlug } from '../keys.ts'
import { maxNameLength, maxReasonLength, maxRepositories } from '../limits.ts'
import { cents, nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { columnRoles } from '../story.ts'
import { presets, Team } from '../team.ts'
import { TeamBindings } from './connections.ts'
import { type Operations, operation, proven } from './operation.ts'

const count = Type.Integer({ minimum: 0 })

/** A team with what is going on in it now. Days and months are those of UTC. */
export const TeamRow = Type.Object({
  ...Team.properties,
  pause: nullable(
    Type.Object({ since: timestamp, by: nullable(Type.String()), reason: nullable(Type.String()) }),
  ),
  mainRedSince: nullable(timestamp),
  /** Runs that hold one of the team's slots. */
  running: count,
  /** Pending decisions. */
  waiting: count,
  spentDayCents: cents,
  spentMonthCents: cents,
  stories: Type.Record(oneOf(columnRoles), count),
  drafts: count,
})
export type TeamRow = Of<typeof TeamRow>

/** Where a team's code is. */
export const TeamRepository = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'as people know it' }),
    address: Type.String({ minLength: 1, maxLength: 500, description: 'a folder on the server' }),
    branch: Type.String({ minLength: 1, maxLength: 200, description: 'what is merged into' }),
  },
  { additionalProperties: false },
)
export type TeamRepository = Of<typeof TeamRepository>

const theTeam = Type.Object({ team: teamSlug }, { additionalProperties: false })
const name = Type.String({ minLength: 1, maxLength: maxNameLength })
const description = nullable(Type.String({ maxLength: maxReasonLength }))

export const reads = {
  'teams.list': operation(Type.Object({}), Type.Array(TeamRow)),
  'teams.read': operation(Type.Object({ team: teamSlug }), TeamRow),
  /** Those that are folders on the server, by name. */
  'teams.folders': operation(
    Type.Object({ team: teamSlug }),
    Type.Object({ repositories: Type.Array(TeamRepository) }, { additionalProperties: false }),
  ),
  'teams.bindings': operation(Type.Object({ team: teamSlug }), TeamBindings),
  /** Newest first. Those of GitHub and GitLab are merged there. */
  'teams.reverts': operation(
    Type.Object({ team: teamSlug }),
    Type.Object({
      data: Type.Array(
        Type.Object({
          number: count,
          title: Type.String(),
          base: Type.String(),
          repository: Type.String(),
        }),
      ),
    }),
  ),
} satisfies Operations

const remote = { id: Type.String({ minLength: 1, maxLength: 200 }) }

export const writes = {
  'teams.mergeRevert': operation(
    Type.Object(
      {
        team: teamSlug,
        number: Type.Integer({ minimum: 1 }),
        /** Left out: the team's first. */
        repository: Type.Optional(Type.String({ maxLength: 300 })),
      },
      { additionalProperties: false },
    ),
    Type.Object({ commit: Type.String() }),
  ),
  /** Null: the built-in tracker. */
  'teams.bindTracker': operation(
    Type.Object(
      {
        team: teamSlug,
        tracker: nullable(
          Type.Object(
            {
              connection: uuid,
              project: Type.Object(
                { ...remote, key: Type.String({ minLength: 1, maxLength: 300 }) },
                { additionalProperties: false },
              ),
              label: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
            },
            { additionalProperties: false },
          ),
        ),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ),
  /** In the place of those it has. */
  'teams.bindRepositories': operation(
    Type.Object(
      {
        team: teamSlug,
        repositories: Type.Array(
          Type.Object(
            { connection: uuid, ...remote, name: Type.String({ minLength: 1, maxLength: 300 }) },
            { additionalProperties: false },
          ),
          { maxItems: maxRepositories },
        ),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ),
  'teams.create': operation(
    Type.Object(
      {
        name,
        slug: teamSlug,
        keyPrefix: Type.String({ pattern: '^[A-Z][A-Z0-9]{0,9}$' }),
        description: Type.Optional(description),
        preset: oneOf(presets),
      },
      { additionalProperties: false },
    ),
    Type.Object({ slug: teamSlug }),
  ),
  'teams.change': operation(
    Type.Object(
      { team: teamSlug, name: Type.Optional(name), description: Type.Optional(description) },
      { additionalProperties: false },
    ),
    Type.Null(),
  ),
  /** Folders on the server, in the place of whatever it has. */
  'teams.setFolders': operation(
    Type.Object(
      { team: teamSlug, repositories: Type.Array(TeamRepository, { maxItems: maxRepositories }) },
      { additionalProperties: false },
    ),
    Type.Null(),
  ),
  /** What the work on one of its repositories runs in. */
  'teams.setInside': operation(
    Type.Object(
      {
        team: teamSlug,
        repository: Type.String({ minLength: 1, maxLength: 300, description: 'by its name' }),
        inside: oneOf(insides),
        image: nullable(Type.String({ maxLength: maxImageLength })),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ),
  'teams.pause': operation(
    Type.Object(
      { team: teamSlug, reason: Type.Optional(Type.String({ maxLength: maxReasonLength })) },
      { additionalProperties: false },
    ),
    Type.Null(),
  ),
  'teams.resume': operation(theTeam, Type.Null()),
  'teams.delete': proven(operation(theTeam, Type.Null())),
} satisfies Operations
