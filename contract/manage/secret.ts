import { Type } from 'typebox'
import type { Of } from '../shapes.ts'

const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })
const closed = { additionalProperties: false }

/**
 * A secret, by where it is: the command line reads it there and sends its value. It is never given out again.
 */
export const Secret = Type.Union(
  [
    Type.Object({ env: text(200, 'the environment variable that has it') }, closed),
    Type.Object({ file: text(1_000, 'the file that has it') }, closed),
    Type.Object({ value: text(8_000, 'itself; not for a file that others read') }, closed),
  ],
  { $id: 'Secret' },
)
export type Secret = Of<typeof Secret>
