import { Type } from 'typebox'
import { nullable, timestamp, uuid } from './shapes.ts'

/** The shape in which the first API version showed what is now a team. */

const board = {
  id: uuid,
  name: Type.String(),
  description: nullable(Type.String()),
  icon: Type.String(),
  accent_color: Type.String(),
  created_at: timestamp,
  updated_at: timestamp,
}

export const BoardListed = Type.Object(board, { $id: 'BoardListed', additionalProperties: false })

export const Board = Type.Object(
  { ...board, background_color: Type.String(), layout_preference: Type.String() },
  { $id: 'Board', additionalProperties: false },
)

export const BoardList = Type.Object({ boards: Type.Array(BoardListed) }, { additionalProperties: false })
export const BoardResponse = Type.Object({ board: Board }, { additionalProperties: false })
