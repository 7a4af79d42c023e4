import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'

export interface StrictAnswer {
  status: number
  /** Of a 200, as latin1; empty for any other status. Null when it is too large: the rest was then not read. */
  body: string | null
}

export interface StrictGetOptions {
  mostBytes: number
  milliseconds: number
  /** Waiting for a turn counts towards the time. */
  mostConnections: number
  request?: typeof request
}

/** There was no answer. The message is a clause that can follow a colon. */
export class NoAnswer extends Error {}

/**
 * GET by https and nothing else, for addresses that somebody outside has a say in: the host proves who it is,
 * redirects are answers like any other, and neither time nor bytes nor connections are without a limit.
 */
export function strictGet(options: StrictGetOptions): (url: URL) => Promise<StrictAnswer> {
  const { mostBytes, milliseconds } = options
  const agent = new Agent({ maxTotalSockets: options.mostConnections, rejectUnauthorized: true })
  const send = options.request ?? request
  return async (url) => {
    const signal = AbortSignal.timeout(milliseconds)
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        send(url, { agent, signal }, resolve).on('error', reject).end()
      })
      const status = response.statusCode ?? 0
      if (status === 200) return { status, body: await limited(response, mostBytes) }
      response.destroy()
      return { status, body: '' }
    } catch (error) {
      throw new NoAnswer(
        signal.aborted
          ? `there was no answer within ${milliseconds / 1000} seconds`
          : `its address could not be reached (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
      )
    }
  }
}

/** Failures of the moment; any other status would be the same tomorrow. */
export const mayPass = (status: number): boolean => status === 408 || status === 429 || status >= 500

async function limited(response: IncomingMessage, mostBytes: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop early closes the connection.
  for await (const chunk of response) {
    size += chunk.length
    if (size > mostBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('latin1')
}
