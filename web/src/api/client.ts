import type {
  PersonalReads,
  PersonalWrites,
  ReadInputs,
  ReadResponses,
  Reads,
  Writes,
} from '@signalbox/contract/app/index.ts'
import type { InputOf, ResponseOf } from '@signalbox/contract/app/operation.ts'
import { hearTime } from './clock.ts'
import { askForProof } from './proof.ts'
import { isAway, noteReachable } from './reach.ts'
import { positionHeaders } from './replica-position.ts'
import { seen } from './seen.ts'

/** What the server said when it did not do what was asked. */
export class Failure extends Error {
  readonly status: number
  readonly code: string
  /** Names the request in the server's log. */
  readonly requestId: string | null

  constructor(status: number, code: string, message: string, requestId: string | null) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
  }
}

export const read = <N extends keyof Reads>(
  workspace: string,
  name: N,
  input: ReadInputs[N],
  signal?: AbortSignal,
): Promise<ReadResponses[N]> =>
  get(`/api/w/${workspace}/${name}`, input as object, signal, (json) => seen(name, json))

/** Sends a write. The caller names the nouns that it reads again afterwards. */
export async function write<N extends keyof Writes>(
  workspace: string,
  name: N,
  input: InputOf<Writes[N]>,
  stale: readonly string[],
): Promise<ResponseOf<Writes[N]>> {
  const id = crypto.randomUUID()
  ownWrites.set(id, stale)
  if (ownWrites.size > mostOwnWrites) ownWrites.delete(ownWrites.keys().next().value!)
  try {
    return await provenIfAsked(() =>
      post(`/api/w/${workspace}/${name}`, input as object, { 'x-request-id': id }),
    )
  } catch (error) {
    // The server may do it yet; that is news then.
    ownWrites.delete(id)
    throw error
  }
}

/** Does it again once the person has proved that it is they, where the server asks for that. */
export async function provenIfAsked<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    const isAsked = error instanceof Failure && error.code === 'proof_required'
    if (isAsked && (await askForProof())) return send()
    throw error
  }
}

/** What this tab's latest writes make it read again, by the ids of their requests. */
const ownWrites = new Map<string, readonly string[]>()
const mostOwnWrites = 100

/** What of a request's news is news to this tab: not what its own write makes it read again anyway. */
export const newsOf = (requestId: string, nouns: readonly string[]): string[] =>
  nouns.filter((noun) => !ownWrites.get(requestId)?.includes(noun))

export const readPersonal = <N extends keyof PersonalReads>(
  name: N,
  input: InputOf<PersonalReads[N]>,
  signal?: AbortSignal,
): Promise<ResponseOf<PersonalReads[N]>> => get(`/api/${name}`, input as object, signal)

export const writePersonal = <N extends keyof PersonalWrites>(
  name: N,
  input: InputOf<PersonalWrites[N]>,
): Promise<ResponseOf<PersonalWrites[N]>> => post(`/api/${name}`, input as object)

/** The address of a read, for links that download. */
export const addressOf = <N extends keyof Reads>(workspace: string, name: N, input: ReadInputs[N]): string =>
  `/api/w/${workspace}/${name}${queryOf(input as object)}`

export async function get<T>(
  path: string,
  input: object = {},
  signal?: AbortSignal,
  parse?: (json: string) => unknown,
): Promise<T> {
  const init = { headers: positionHeaders(), ...(signal ? { signal } : {}) }
  return bodyOf(await fetched(path + queryOf(input), init), parse)
}

export async function post<T>(
  path: string,
  input: object = {},
  headers: Record<string, string> = {},
): Promise<T> {
  return bodyOf(
    await fetched(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(input),
    }),
  )
}

async function fetched(path: string, init: RequestInit): Promise<Response> {
  const sentAt = Date.now()
  try {
    const response = await fetch(path, { credentials: 'same-origin', ...init })
    hearTime(response.headers.get('date'), sentAt, Date.now())
    return response
  } catch (error) {
    if (init.signal?.aborted) throw error
    noteReachable(false)
    throw unreachable()
  }
}

export const unreachable = () =>
  new Failure(0, 'unreachable', 'Can’t reach the server. Check your connection and try again.', null)

async function bodyOf<T>(response: Response, parse: (json: string) => unknown = JSON.parse): Promise<T> {
  const text = await response.text()
  const body = text && (response.headers.get('content-type') ?? '').includes('json') ? parse(text) : null
  // A proxy in front of a server that is away answers with a page of its own.
  const isThere = body !== null || !isAway(response.status)
  noteReachable(isThere)
  if (response.ok) return body as T
  throw isThere ? failureOf(response, body) : unreachable()
}

export function failureOf(response: Response, body: unknown): Failure {
  const refused = (body as { error?: { code: string; message: string } } | null)?.error
  return new Failure(
    response.status,
    refused?.code ?? 'unknown',
    // The message is the API's, in which names stand between backticks. People read quotes.
    refused?.message.replaceAll(/`([^`]*)`/g, '“$1”') ??
      `Something went wrong (status ${response.status}). Try again.`,
    response.headers.get('x-request-id'),
  )
}

function queryOf(input: object): string {
  const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== '')
  return given.length > 0
    ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
    : ''
}
