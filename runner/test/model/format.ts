import type { Answer, ModelRequest } from './script.ts'

type Json = Record<string, unknown>

/** One way to talk to a model over HTTP. */
export interface Format {
  /** Of the path of a request. */
  path: RegExp
  read(body: Json, path: string): ModelRequest
  /** The whole answer, for clients that do not stream. */
  answer(move: Answer, model: string): Json
  /** The same as events; a name where the format gives them one. */
  stream(move: Answer, model: string): { name?: string; data: Json }[]
  /** Written behind the last event. */
  ending?: string
}

export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value : [])

/** Text wherever it hides: a string, or parts that have some. */
export const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(({ text }) => (typeof text === 'string' ? text : ''))
        .join('\n')

export function propertiesOf(schema: unknown): Record<string, string> {
  const properties = (schema as { properties?: Record<string, Json> } | null)?.properties ?? {}
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [name, String(type).toLowerCase()]),
  )
}

let calls = 0
/** Ids of tool calls have to differ; nothing else depends on them. */
export const callId = () => `call_${process.pid}_${++calls}`
