import { Type } from 'typebox'
import { teamSlug } from '../keys.ts'
import { maxEmailLength, maxNameLength, maxRepositories } from '../limits.ts'
import { OnCallSettings, Repository } from '../service.ts'
import { nullable, type Of } from '../shapes.ts'

const { notify: _, places: __, ...settings } = Type.Partial(OnCallSettings).properties

/** A service that alerts belong to, and its on-call settings. */
export const ManagedService = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: maxNameLength }),
    team: teamSlug,
    repositories: Type.Optional(Type.Array(Repository, { maxItems: maxRepositories })),
    ...settings,
    notify: Type.Optional(
      Type.Array(Type.String({ maxLength: maxEmailLength }), {
        maxItems: 200,
        description: 'members who are notified, by email address',
      }),
    ),
    places: Type.Optional(
      nullable(
        Type.Array(Type.String({ maxLength: 200 }), {
          maxItems: 200,
          description: 'channels of the team where incidents are posted, by name; null: all of them',
        }),
      ),
    ),
  },
  { $id: 'Service', additionalProperties: false },
)
export type ManagedService = Of<typeof ManagedService>
