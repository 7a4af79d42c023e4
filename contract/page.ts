import { type TSchema, Type } from 'typebox'
import { nullable } from './shapes.ts'

export const defaultPageSize = 25
export const maxPageSize = 100

export const limit = Type.Integer({
  minimum: 1,
  default: defaultPageSize,
  description: `Page size. More than ${maxPageSize} is served as ${maxPageSize}.`,
})

export const cursor = Type.String({
  maxLength: 200,
  description: 'Opaque. Pass the nextCursor of the previous page unchanged, with the same filters.',
})

export const pageOf = <S extends TSchema>(element: S) =>
  Type.Object(
    {
      data: Type.Array(element),
      nextCursor: nullable(Type.String({ description: 'null on the last page' })),
    },
    { additionalProperties: false },
  )
