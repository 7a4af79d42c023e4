import { type Static, type TSchema, Type } from 'typebox'

/** Building blocks that the resources share. */

export const timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, milliseconds' })
export const uuid = Type.String({ format: 'uuid' })
export const cents = Type.Integer({ description: 'euro cents' })

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/** A string that takes one of a fixed list of values. */
export const oneOf = <const V extends string[]>(values: readonly [...V], description?: string) =>
  Type.Enum(values, { type: 'string', ...(description === undefined ? {} : { description }) })

/**
 * Values by names that the sender has chosen: each name is one line without control characters. A record of
 * the library's own lets a value through unseen where its name holds a line break, because `.` does not match one.
 */
export const recordOf = <S extends TSchema>(value: S, { longest = 200, most = 1_000 } = {}) =>
  Type.Record(Type.String({ pattern: chosenName(longest) }), value, {
    additionalProperties: false,
    maxProperties: most,
  })

export const chosenName = (longest: number): string =>
  `^(?!__proto__$)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{1,${longest}}$`

/** The same of what we give out: names are as they were taken, whatever they hold. */
export const anyRecordOf = <S extends TSchema>(value: S, options: { description?: string } = {}) =>
  Type.Record(Type.String({ pattern: '^[\\s\\S]*$' }), value, options)

/** JSON text of a `T`: rendered once, by the database, and passed on to the socket without being taken apart. */
export type Json<T> = string & { readonly __json: T }

/** The same with more fields, without taking it apart. The text is that of an object with at least one field. */
export const withFields = <T, More extends object>(json: Json<T>, more: More) =>
  `${json.slice(0, -1)},${JSON.stringify(more).slice(1)}` as Json<T & More>

export const fromJson = <T>(json: Json<T>): T => JSON.parse(json)

export type Of<S extends TSchema> = Static<S>
