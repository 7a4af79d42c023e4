import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'

/** As much is handed to the system at once: what it has not taken yet is not copied. */
const sliceBytes = 256_000

/** What was asked, and what came back; the caller reads the body at its own pace. */
export async function ask(
  url: string,
  {
    method,
    headers,
    body,
    signal,
    onSent,
  }: {
    method: string
    headers: Record<string, string>
    /** Null: there is none. */
    body: readonly Buffer[] | null
    signal: AbortSignal
    /** Nothing of the body is needed any more. */
    onSent: () => void
  },
): Promise<http.IncomingMessage> {
  const length = body?.reduce((sum, piece) => sum + piece.length, 0)
  const request = (url.startsWith('https:') ? https : http).request(url, {
    method,
    headers: { ...headers, ...(length === undefined ? {} : { 'content-length': length }) },
    signal,
  })
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    // A connection that breaks later is reported to the reader of the answer.
    request.on('error', reject)
    request.once('close', () => reject(new Error('it closed the connection without an answer')))
  })
  const sent = send(request, body ?? []).then(onSent)
  // It may answer before it has heard everything, and then need not hear the rest.
  sent.catch(() => {})
  return answered
}

async function send(request: http.ClientRequest, body: readonly Buffer[]): Promise<void> {
  for (const piece of body)
    for (let from = 0; from < piece.length; from += sliceBytes) {
      if (request.destroyed) return
      if (!request.write(piece.subarray(from, from + sliceBytes))) await drained(request)
    }
  request.end()
  await once(request, 'finish')
}

/** Until it takes more, or has gone. */
function drained(request: http.ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      request.off('drain', done)
      request.off('close', done)
      resolve()
    }
    request.once('drain', done)
    request.once('close', done)
  })
}
