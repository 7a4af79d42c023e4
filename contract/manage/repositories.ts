import { Type } from 'typebox'
import { insides, maxImageLength } from '../image.ts'
import { maxRepositories } from '../limits.ts'
import { nullable, type Of, oneOf } from '../shapes.ts'

const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })

/** Where the code of a team is, by the team's slug: folders on the server, or repositories of its connections. */
export const ManagedRepositories = Type.Object(
  {
    repositories: Type.Array(
      Type.Object(
        {
          name: text(300, 'as people know it; of a connection, as the tool calls it'),
          address: Type.Optional(text(500, 'a folder on the server')),
          branch: Type.Optional(text(200, 'of a folder: what is merged into (main)')),
          connection: Type.Optional(text(254, 'the connection that has it, by its name in the file')),
          id: Type.Optional(text(200, 'of a connection: its id over there')),
          inside: Type.Optional(oneOf(insides, 'what its work runs in')),
          image: Type.Optional(nullable(Type.String({ maxLength: maxImageLength }))),
        },
        { additionalProperties: false },
      ),
      { maxItems: maxRepositories },
    ),
  },
  { $id: 'Repositories', additionalProperties: false },
)
export type ManagedRepositories = Of<typeof ManagedRepositories>
