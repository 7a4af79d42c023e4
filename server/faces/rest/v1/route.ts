import { hash, type KeyObject } from 'node:crypto'
import type { Role } from '@signalbox/contract/roles.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Permission } from '@signalbox/contract/token.ts'
import type { Static, TObject, TSchema } from 'typebox'
import type { Context } from '../../../domain/context.ts'
import type { notFound } from '../../../domain/errors.ts'
import type { Page, PageRequest } from '../../../domain/page.ts'
import { compress, type Encoding } from '../../../infra/http/compress.ts'
import { type Cursors, pageJson } from '../../http/cursor.ts'
import { FileResponse } from '../../http/file.ts'

/** A path parameter: its shape, and what is missing when the shape, and so the thing, cannot exist. */
interface PathParameter {
  schema: TSchema & { pattern?: string }
  noun: Parameters<typeof notFound>[0]
}

/** One endpoint. The same value becomes a route of the server and an operation of the OpenAPI document. */
export interface Route {
  method: 'GET' | 'POST'
  path: string
  /** Names the verb, in logs and in the OpenAPI document. */
  operation: string
  summary: string
  description?: string
  tag: string
  permission: Permission
  /**
   * The role a token's owner needs in addition to the permission, and for what. The verb checks it as well, for every
   * face.
   */
  role?: { least: Role; to: string }
  params: Record<string, PathParameter>
  query: TObject | undefined
  /** What a POST sends. */
  body: TObject | undefined
  response: TSchema | undefined
  /** Other media types than JSON, for files. */
  files?: string[]
  /** Headers of its own. */
  headers?: Record<string, string>
  /** A replica may answer it, if it has what the caller has written. */
  onReplica?: true
  /** A HEAD must not write, so an endpoint that records its use has none. */
  head: boolean
  /** Present on endpoints of the first API version. */
  deprecated?: { since: Date; successor: string }
  respond(ctx: Context, input: Input, tools: Tools): Promise<Sendable>
}

interface Input {
  params: Record<string, string>
  query: never
  body: never
  idempotencyKey: string | undefined
}

export interface Tools {
  cursors: Cursors
  /** Checks what the audit log's checkpoints are signed with. */
  auditKey: () => KeyObject
}

export type Sendable = Body | FileResponse

/** What a body that is read carries. */
export const vary = 'Authorization, Accept-Encoding, Origin'
export const cacheControl = 'private, no-cache'
export const jsonType = 'application/json; charset=utf-8'

/** A JSON body. What is derived from it is made at most once, however often the same body is sent. */
export class Body {
  readonly json: Json<unknown>
  /** Names and values in turn. */
  readonly headers: readonly string[]
  #bytes: Buffer | undefined
  #etag: string | undefined
  #compressed: Map<Encoding, Promise<Buffer>> | undefined

  constructor(json: Json<unknown>, headers: readonly string[] = []) {
    this.json = json
    this.headers = headers
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.json)
    return this.#bytes
  }

  get etag(): string {
    this.#etag ??= `W/"${hash('sha1', this.json, 'base64url')}"`
    return this.#etag
  }

  compressed(encoding: Encoding): Promise<Buffer> {
    this.#compressed ??= new Map()
    const made = this.#compressed.get(encoding) ?? compress(this.bytes, encoding)
    this.#compressed.set(encoding, made)
    return made
  }

  /** A short body goes out in one write with its headers if it is a string; a long one is cheaper as bytes. */
  get payload(): string | Buffer {
    return this.json.length < 4_096 ? this.json : this.bytes
  }
}

interface Described<Q extends TObject | undefined> {
  path: string
  operation: string
  summary: string
  description?: string
  tag: string
  permission: Permission
  role?: { least: Role; to: string }
  params?: Record<string, PathParameter>
  query?: Q
  response?: TSchema
  files?: string[]
  headers?: Record<string, string>
  onReplica?: true
  head?: boolean
  deprecated?: { since: Date; successor: string }
  body?: TObject
}

type QueryOf<Q> = Q extends TObject ? Static<Q> : Record<string, never>

/** An endpoint that answers with one thing. */
export function get<Q extends TObject | undefined = undefined>(
  described: Described<Q>,
  respond: (
    ctx: Context,
    params: Record<string, string>,
    query: QueryOf<Q>,
    tools: Tools,
  ) => Promise<Json<unknown> | FileResponse>,
): Route {
  return routeOf(described, async (ctx, input, tools) => {
    const response = await respond(ctx, input.params, input.query, tools)
    return response instanceof FileResponse ? response : new Body(response)
  })
}

/** An endpoint that changes something. The request's Idempotency-Key makes it safe to send again. */
export function post<B extends TObject>(
  described: Described<undefined> & { body: B },
  respond: (
    ctx: Context,
    params: Record<string, string>,
    body: Static<B>,
    idempotencyKey: string | undefined,
  ) => Promise<Json<unknown>>,
): Route {
  return {
    ...routeOf(
      { ...described, head: false },
      async (ctx, { params, body, idempotencyKey }) =>
        new Body(await respond(ctx, params, body, idempotencyKey)),
    ),
    method: 'POST',
  }
}

/** An endpoint that answers with a page, newest first, and with what `headersOf` says of it. */
export function list<Q extends TObject, P extends Page<unknown>>(
  described: Described<Q> & { query: Q },
  respond: (
    ctx: Context,
    params: Record<string, string>,
    filter: QueryOf<Q>,
    page: PageRequest,
  ) => Promise<P>,
  headersOf: (page: P) => readonly string[] = () => [],
): Route {
  return routeOf(described, async (ctx, input, { cursors }) => {
    const { limit: _, cursor: __, ...filter } = input.query as { limit?: number; cursor?: string }
    const scope = [described.operation, ctx.workspaceId, ...sorted(input.params), ...sorted(filter)].join(
      '\0',
    )
    const page = await respond(ctx, input.params, input.query, cursors.page(scope, input.query))
    return bodyOf(page, scope, cursors, headersOf(page))
  })
}

function routeOf(described: Described<TObject | undefined>, respond: Route['respond']): Route {
  const { params = {}, query, body, response, head = true, ...rest } = described
  return { ...rest, method: 'GET', params, query, body, response, head, respond }
}

const bodies = new WeakMap<Page<unknown>, { scope: string; body: Body }>()

/**
 * A verb that finds its page unchanged returns the same one, and its body need not be made again. The cursor in it is
 * bound to the words of the question, and one page may answer several.
 */
function bodyOf(page: Page<unknown>, scope: string, cursors: Cursors, headers: readonly string[]): Body {
  const made = bodies.get(page)
  if (made?.scope === scope) return made.body
  const body = new Body(pageJson(page.data, page.next && cursors.seal(scope, page.next)), headers)
  bodies.set(page, { scope, body })
  return body
}

const sorted = (filter: Record<string, unknown>) =>
  Object.entries(filter)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
