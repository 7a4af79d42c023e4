import { ConnectionError } from './errors.ts'
import { Listing, type Page } from './listing.ts'
import { type Operations, operations } from './openapi.ts'
import { type SendSettings, send } from './send.ts'

export interface ClientSettings extends Partial<SendSettings> {
  /** Of the server, such as https://signalbox.example.com. */
  url: string | URL
  /** An API token: tk_ and 32 characters. */
  token: string
  /** Says who calls, in the server's log. */
  userAgent?: string
}

export interface CallOptions {
  signal?: AbortSignal
  /** Of a write; the client chooses one for each call unless it is given. */
  idempotencyKey?: string
}

type Name = keyof Operations
type Gives<N extends Name> = (typeof operations)[N]['gives']
type ElementOf<N extends Name> = Operations[N]['output'] extends Page<infer T> ? T : never
/** Where nothing has to be said, nothing need be. */
type Given<Input> = Record<never, never> extends Input ? [input?: Input] : [input: Input]

/** Every operation of the REST API by the name it has in the OpenAPI document. */
export type Client = {
  [N in Name]: Gives<N> extends 'page'
    ? (
        ...given: [...Given<Omit<Operations[N]['input'], 'cursor'>>, options?: CallOptions]
      ) => Listing<ElementOf<N>>
    : (
        ...given: [...Given<Operations[N]['input']>, options?: CallOptions]
      ) => Promise<Operations[N]['output']>
}

/** A client for one server, in the workspace and with the rights of the token. */
export function createClient(settings: ClientSettings): Client {
  const methods = Object.keys(operations).map((name) => [name, method(name as Name, settings)])
  return Object.fromEntries(methods) as Client
}

type Input = Record<string, unknown>

function method(name: Name, settings: ClientSettings) {
  const { gives } = operations[name]
  return (input: Input = {}, options: CallOptions = {}) => {
    if (gives === 'file') return call(name, input, settings, options)
    const read = async (more: Input = {}) =>
      jsonOf(await call(name, { ...input, ...more }, settings, options))
    if (gives === 'one') return read()
    return new Listing((cursor) => read(cursor === undefined ? {} : { cursor }) as Promise<Page<unknown>>)
  }
}

async function call(name: Name, input: Input, settings: ClientSettings, options: CallOptions) {
  const { method, path, query } = operations[name]
  const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const take = (key: string) => {
    const value = left.get(key)
    left.delete(key)
    return value
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => segment(key, take(key)))
  const url = new URL(filled.slice(1), withSlash(settings.url))
  for (const key of query as readonly string[])
    if (left.has(key)) url.searchParams.set(key, String(take(key)))
  const writes: boolean = method === 'POST'
  return send(
    {
      ...{ method, url, signal: options.signal },
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${settings.token}`,
        ...(settings.userAgent ? { 'user-agent': settings.userAgent } : {}),
        ...(writes
          ? {
              'content-type': 'application/json',
              'idempotency-key': options.idempotencyKey ?? crypto.randomUUID(),
            }
          : {}),
      },
      ...(writes ? { body: JSON.stringify(Object.fromEntries(left)) } : {}),
    },
    { fetch: globalThis.fetch, retries: 2, mostWaitSeconds: 60, sleep, ...settings },
  )
}

/** What is empty, or one of the two dots of paths, would lead to another endpoint. */
function segment(key: string, value: unknown): string {
  const text = String(value ?? '')
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${key} must name something, not "${text}".`)
  return encodeURIComponent(text)
}

/** A server below a path of its host has it kept. */
const withSlash = (url: string | URL) => String(url).replace(/\/?$/, '/')

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    throw new ConnectionError(`${new URL(response.url).origin} did not answer with JSON.`, { cause: error })
  }
}

const sleep = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
