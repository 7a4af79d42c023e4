import { Type } from 'typebox'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'

export const checkStates = ['ok', 'warning', 'failed'] as const

/** One thing that was looked at: how it is, and what to do about it. */
export const SystemCheck = Type.Object({
  /** For programs: it stays what it is. */
  name: Type.String(),
  title: Type.String(),
  state: oneOf(checkStates),
  says: Type.String(),
  /** Null: nothing has to be done. */
  remedy: nullable(Type.String()),
})
export type SystemCheck = Of<typeof SystemCheck>

/** The installation, for those who run it: the same for `signalbox doctor` and the page. */
export const System = Type.Object({
  at: timestamp,
  /** Of the program that looked. */
  version: Type.String(),
  checks: Type.Array(SystemCheck),
  nodes: Type.Array(
    Type.Object({
      id: uuid,
      isServing: Type.Boolean(),
      /** Its machine and port. Null: a node of an older release does not say. */
      host: nullable(Type.String()),
      version: nullable(Type.String()),
      migration: nullable(Type.Integer()),
      startedAt: timestamp,
      skewSeconds: Type.Number(),
    }),
  ),
  database: Type.Object({
    version: Type.String(),
    bytes: Type.Integer(),
    connections: Type.Integer(),
    mostConnections: Type.Integer(),
    role: Type.String(),
    migration: nullable(Type.String()),
    migratedAt: nullable(timestamp),
  }),
})
export type System = Of<typeof System>

export const reads = {
  'system.read': operation(Type.Object({}), System),
} satisfies Operations
