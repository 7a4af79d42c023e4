import type { KeyObject } from 'node:crypto'
import { type Json, type Of, oneOf } from '@signalbox/contract/shapes.ts'
import { type TObject, type TSchema, Type } from 'typebox'
import type { TokenHolder } from '../../../domain/accounts/tokens/authenticate.ts'
import type { Context } from '../../../domain/context.ts'
import type { Page, PageRequest } from '../../../domain/page.ts'
import type { GitHost } from '../../../domain/ports/git-host.ts'
import type { SingleTracker } from '../../../domain/ports/single-tracker.ts'
import type { Splitter } from '../../../domain/ports/splitter.ts'
import type { WorkPort } from '../../../domain/ports/work.ts'
import type { Cursors } from '../../http/cursor.ts'
import type { Waits } from './waits.ts'

/** What tools need apart from the context. */
export interface ToolServices {
  cursors: Cursors
  auditKey: () => KeyObject
  publicUrl: () => string
  gitHost: GitHost | null
  tracker: SingleTracker | null
  splitter: Splitter
  work: Pick<WorkPort, 'serves'>
  waits: Waits
}

/** One call: who makes it, and what it may use. */
export interface Call {
  ctx: Context
  holder: TokenHolder
  services: ToolServices
  /** Requests a minute that the token may make here. */
  requestsPerMinute: number
  /** Fires when the caller has gone. */
  gone: AbortSignal
  /** Says that it is still being waited, where the client wants to know. */
  progress(done: number, total: number, message: string): Promise<void>
}

/** What is offered always, and what only those get who ask for it. */
export type Toolset = 'default' | 'oncall' | 'admin'

/** How clients may treat a tool. All four are said: what is left out counts as the worst. */
interface Hints {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

export const reads: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Of a tool that changes something: the named ones hold, the others do not. */
export const writes = (...holding: ('destructive' | 'idempotent' | 'openWorld')[]): Hints => ({
  readOnlyHint: false,
  destructiveHint: holding.includes('destructive'),
  idempotentHint: holding.includes('idempotent'),
  openWorldHint: holding.includes('openWorld'),
})

/** One tool: a verb of the domain, as an agent sees it. */
export interface Tool<I extends TObject = TObject, O extends TObject = TObject> {
  name: string
  title: string
  /** All that a model is told: clients hide output schemas, and some drop patterns. Never holds text from outside. */
  description: string
  toolset: Toolset
  hints: Hints
  /** A replica may answer it, if it has what the caller has written. */
  onReplica?: true
  input: I
  output: O
  /** Fields of the result that others wrote: people, trackers, alerts, agents. */
  outside: string[]
  call(call: Call, input: Of<I>): Promise<Of<O>>
}

// In the registry each tool has forgotten its own types; its input was checked by its own schema.
export type AnyTool = Omit<Tool, 'call'> & { call(call: Call, input: never): Promise<unknown> }

export const tool = <I extends TObject, O extends TObject>(one: Tool<I, O>): AnyTool => one

/** What comes in is read strictly: a mistyped argument is refused, not ignored. */
export const takes = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

/** What goes out may grow. */
export const gives = <P extends Parameters<typeof Type.Object>[0]>(properties: P) => Type.Object(properties)

export const optional = Type.Optional
export const text = (description: string, maxLength: number, minLength = 1) =>
  Type.String({ description, maxLength, minLength })
export const url = Type.String({ description: 'the page in the app' })
export const nextStep = Type.String({ description: 'what to do now' })

export const pageArguments = {
  limit: optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Page size, 15 unless given.' })),
  cursor: optional(
    Type.String({
      maxLength: 200,
      description: 'nextCursor of the previous page, unchanged, with the same filters.',
    }),
  ),
}
/** So that a page of any list costs a model fewer than 1,500 tokens. */
const pageSize = 15

/** Most of a long list is never read: a model pays for each field of it. */
export const detail = optional(
  oneOf(['summary', 'full'], 'summary: a few fields of each, unless given; full: everything'),
)

/** A title, as long as it has to be to tell one from another. */
export const clipped = (title: string): string =>
  title.length <= longestTitle ? title : `${[...title].slice(0, longestTitle - 1).join('')}…`
const longestTitle = 60

export const waitSeconds = (unlessGiven: number) =>
  optional(
    Type.Integer({
      minimum: 0,
      maximum: mostWaitSeconds,
      description: `How long to hold the call, 0 to ${mostWaitSeconds} seconds; ${unlessGiven} unless given.`,
    }),
  )
/** Proxies and some clients cut at a minute. */
export const mostWaitSeconds = 50

export const idempotencyKey = optional(
  Type.String({
    pattern: '^[\\x21-\\x7e]{1,255}$',
    description: 'Makes a repeated call safe: the same key does it once. 1 to 255 printable characters.',
  }),
)

/** A page of a list; the cursor is bound to the list and its filters. */
export async function pageOf<T>(
  { ctx, services: { cursors } }: Call,
  name: string,
  input: { limit?: number; cursor?: string },
  list: (page: PageRequest) => Promise<Page<T>>,
): Promise<{ data: T[]; nextCursor: string | null }> {
  const { limit = pageSize, cursor, ...filter } = input
  const scope = JSON.stringify(['mcp', name, ctx.workspaceId, Object.entries(filter).sort()])
  const page = await list(cursors.page(scope, { limit, ...(cursor === undefined ? {} : { cursor }) }))
  const data = page.data.map((element: Json<T>): T => JSON.parse(element))
  return { data, nextCursor: page.next && cursors.seal(scope, page.next) }
}

/** What a key looks like. */
export const patternOf = (schema: TSchema & { pattern?: string }): string => schema.pattern ?? ''

export const roleWord = oneOf(['owner', 'admin', 'member'])
