import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import {
  type Acquire,
  type Acquired,
  AnyOrder,
  type Beat,
  Beaten,
  type Challenge,
  Challenged,
  Credential,
  type CredentialAsk,
  type Log,
  Order,
  Received,
  type Register,
  Registered,
  type Reports,
  type Spans,
  sessionHeader,
} from '@signalbox/contract/runner/messages.ts'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { type Answer, baseOf, type CallOptions, type Line, openLine } from './call.ts'
import { Unreachable } from './failures.ts'

/** Which order a call is about; the server refuses all but the newest fence. */
interface OrderRef {
  run: string
  fence: number
  /** Of the span that the call belongs under, where the run is traced. */
  traceparent?: string | null
}

/** What the server is asked, in the words of contract/runner/messages.ts. Throws Unreachable or Refused. */
export interface Client {
  /** What this start has to sign to be let in. */
  challenge(message: Challenge, signal?: AbortSignal): Promise<Challenged>
  register(message: Register, signal?: AbortSignal): Promise<Registered>
  /** Null: nothing to do just now. What came is not yet checked beyond what names the order. */
  acquire(message: Acquire, pollSeconds: number, signal?: AbortSignal): Promise<Acquiring | null>
  beat(message: Beat, signal?: AbortSignal): Promise<Beaten>
  reports(order: OrderRef, message: Reports, signal?: AbortSignal): Promise<Received>
  log(order: OrderRef, message: Log, signal?: AbortSignal): Promise<Received>
  keepFile(order: OrderRef, sha256: string, file: Buffer, signal?: AbortSignal): Promise<void>
  fetchFile(order: OrderRef, sha256: string, signal?: AbortSignal): Promise<Buffer>
  credential(order: OrderRef, message: CredentialAsk, signal?: AbortSignal): Promise<Located>
  spans(order: OrderRef, message: Spans, signal?: AbortSignal): Promise<void>
  leave(signal?: AbortSignal): Promise<void>
  /** Of the session that register opened; later calls carry it. */
  session: number | null
  /** Of a file; the server says at register what it takes. */
  maxFileBytes: number
  close(): void
}

/** A credential whose address can be used as it is. */
interface Located extends Credential {
  /** What git asks there is passed on by the server. */
  isRelayed: boolean
}

/** An order as it came, and whether this runner can read it. */
export interface Acquiring {
  ref: OrderRef
  order: Acquired['order'] | { unreadable: string }
  cursor: string
}

interface Sending {
  seconds?: number
  session?: null
  /** Headers that the call has in addition. */
  beside?: Record<string, string>
}

const shortSeconds = 10
const usualSeconds = 30
const fileSeconds = 300
const answerBytes = 16_000_000
const gzipped = promisify(gzip)

export function createClient(options: CallOptions): Client {
  // The beat has a line of its own: nothing that is slow stands before it.
  const [work, beat] = [openLine(options), openLine(options)]
  const client: Client = {
    session: null,
    maxFileBytes: 32_000_000,
    challenge: (message, signal) => post(work, 'challenge', message, Challenged, signal, { session: null }),
    async register(message, signal) {
      const registered = await post(work, 'register', message, Registered, signal, { session: null })
      client.session = registered.session
      return registered
    },
    async acquire(message, pollSeconds, signal) {
      const answer = await send(work, 'acquire', message, signal, { seconds: pollSeconds + shortSeconds })
      return answer.status === 204 ? null : acquiring(answer)
    },
    beat: (message, signal) => post(beat, 'beat', message, Beaten, signal, { seconds: shortSeconds }),
    reports: (order, message, signal) =>
      post(work, `${under(order)}/reports`, message, Received, signal, { beside: tracing(order) }),
    async log(order, message, signal) {
      const answer = await work.call({
        ...posting(`${under(order)}/log`, signal),
        headers: { ...headers(), 'content-encoding': 'gzip' },
        body: await gzipped(JSON.stringify(message)),
      })
      return checked(Received, answer)
    },
    async keepFile(order, sha256, file, signal) {
      await work.call({
        method: 'PUT',
        path: `${under(order)}/files/${sha256}`,
        headers: { ...headers(), ...tracing(order), 'content-type': 'application/octet-stream' },
        body: file,
        deadlineSeconds: fileSeconds,
        maxBytes: answerBytes,
        signal,
      })
    },
    async fetchFile(order, sha256, signal) {
      const { body } = await work.call({
        method: 'GET',
        path: `${under(order)}/files/${sha256}`,
        headers: { ...headers(), ...tracing(order), accept: '*/*' },
        deadlineSeconds: fileSeconds,
        maxBytes: client.maxFileBytes,
        signal,
      })
      return body
    },
    credential: async (order, message, signal) =>
      located(
        await post(work, `${under(order)}/credential`, message, Credential, signal, {
          beside: tracing(order),
        }),
        options.url,
      ),
    async spans(order, message, signal) {
      await send(work, `${under(order)}/spans`, message, signal, { seconds: shortSeconds })
    },
    async leave(signal) {
      await send(work, 'leave', {}, signal, { seconds: shortSeconds })
    },
    close() {
      work.close()
      beat.close()
    },
  }

  const headers = (session = client.session) => ({
    'content-type': 'application/json',
    ...(session === null ? {} : { [sessionHeader]: `${session}` }),
  })
  const posting = (path: string, signal: AbortSignal | undefined) =>
    ({ method: 'POST', path, deadlineSeconds: usualSeconds, maxBytes: answerBytes, signal }) as const
  const send = (
    line: Line,
    path: string,
    message: unknown,
    signal: AbortSignal | undefined,
    { seconds = usualSeconds, session, beside }: Sending = {},
  ) =>
    line.call({
      ...posting(path, signal),
      deadlineSeconds: seconds,
      headers: { ...headers(session), ...beside },
      body: Buffer.from(JSON.stringify(message)),
    })
  const post = async <S extends TSchema>(
    line: Line,
    path: string,
    message: unknown,
    schema: S,
    signal: AbortSignal | undefined,
    more?: Sending,
  ) => checked(schema, await send(line, path, message, signal, more))
  return client
}

/** An address that says neither how nor where is below this protocol's own, wherever the server is reached. */
function located(credential: Credential, server: URL): Located {
  const isRelayed = /^orders\//.test(credential.address)
  const address = isRelayed ? `${baseOf(server)}/runner/v1/${credential.address}` : credential.address
  return { ...credential, address, isRelayed }
}

const under = ({ run, fence }: OrderRef) => `orders/${run}/${fence}`

const tracing = ({ traceparent }: OrderRef): Record<string, string> => (traceparent ? { traceparent } : {})

/** Fields that we do not know are left out; what is missing or of another kind is no answer of this protocol. */
function checked<S extends TSchema>(schema: S, answer: Answer): Static<S> {
  const told = Value.Clean(schema, json(answer))
  if (Value.Check(schema, told)) return told as Static<S>
  throw new Unreachable(`the answer of the server does not follow the protocol (${faultOf(schema, told)})`)
}

function json({ body }: Answer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new Unreachable('the answer of the server is not JSON; there may be a proxy in between')
  }
}

function faultOf(schema: TSchema, told: unknown): string {
  const [fault] = Value.Errors(schema, told)
  return fault ? `${fault.instancePath || '/'} ${fault.message}` : 'unreadable'
}

const { run, fence } = Order.properties

function acquiring(answer: Answer): Acquiring {
  const told = json(answer) as { order?: Partial<OrderRef>; cursor?: unknown } | null
  const ref = { run: told?.order?.run, fence: told?.order?.fence }
  // The key becomes the name of a folder.
  if (!Value.Check(run, ref.run) || !Value.Check(fence, ref.fence))
    throw new Unreachable('the answer of the server is a work order without a run and a fence')
  const order = Value.Clean(AnyOrder, told!.order)
  return {
    ref: ref as OrderRef,
    order: Value.Check(AnyOrder, order) ? order : { unreadable: faultOf(AnyOrder, order) },
    cursor: typeof told!.cursor === 'string' ? told!.cursor : '',
  }
}
