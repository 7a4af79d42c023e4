import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import { type Connection, ToolBusy, ToolRefused } from '../../domain/ports/connection.ts'
import type { GitAnswer, GitRequest } from '../../domain/ports/git-host.ts'
import { CallFailed } from '../../infra/http/call-failed.ts'
import { createClient, type StreamedResponse } from '../../infra/http/client.ts'
import {
  type CallerOptions,
  failureOf,
  noAnswerError,
  outcomeOf,
  refusePlainHttp,
} from '../connections/call.ts'

/** Where git's requests go, and what lets them in there. */
interface Destination {
  /** `https://gitlab.example.com/halden/shop.git` */
  address: string
  authorization: string
}

/**
 * Passes on one of git's requests, and what comes back, without holding either. Throws as a call to a tool does; what
 * the host says beside a refusal is not repeated, since it may quote anything.
 */
export type GitProxy = (connection: Connection, to: Destination, request: GitRequest) => Promise<GitAnswer>

const minute = 60_000
/** As long as a runner lets git try. */
const longestMs = 30 * minute
const idleMs = 5 * minute
const mostAnswered = 32 * 1024 ** 3
/** At a time, in this process; the next ones wait for a turn. */
const mostAtATime = 500

/** The same reach as every other call to a connection: public addresses, and what the operator opens. */
export function createGitProxy({
  allow,
  clock,
  note,
}: Pick<CallerOptions, 'allow' | 'clock' | 'note'>): GitProxy {
  const client = createClient({
    ...{ allow, timeoutMs: longestMs, maxBytes: mostAnswered, maxConnections: mostAtATime },
    // Some hosts show others a web page.
    userAgent: 'git/2 (Signalbox)',
  })
  const refusePlain = refusePlainHttp(allow)

  async function send(tool: string, url: URL, authorization: string, request: GitRequest) {
    const { service, body, headers, signal } = request
    try {
      return await client.stream({
        url,
        ...(body ? { method: 'POST', body } : {}),
        headers: {
          ...headers,
          ...(body ? { 'content-type': `application/x-${service}-request` } : {}),
          authorization,
        },
        ...{ signal, idleMs },
      })
    } catch (error) {
      throw error instanceof CallFailed ? noAnswerError(tool, error, clock.now()) : error
    }
  }

  return async (connection, { address, authorization }, request) => {
    const tool = toolNames[connection.kind]
    const { service, body, signal } = request
    const url = new URL(`${address}/${body ? service : `info/refs?service=${service}`}`)
    refusePlain(url, tool)
    const type = `application/x-${service}-${body ? 'result' : 'advertisement'}`
    let response: StreamedResponse | null = null
    try {
      response = await send(tool, url, authorization, request)
      const { status, headers } = response
      if (status !== 200) throw failureOf(tool, { status, headers, text: '' }, null, clock.now())
      if (headers['content-type'] !== type)
        throw new ToolRefused('invalid', `${tool} answered with something other than git. Check the URL.`)
      await note?.(connection, { result: 'done' })
      return { type, body: response.body }
    } catch (error) {
      response?.body.destroy()
      signal.throwIfAborted()
      if (error instanceof ToolBusy || error instanceof ToolRefused) {
        const outcome = outcomeOf(error)
        if (outcome.result !== 'done') await note?.(connection, outcome)
      }
      throw error
    }
  }
}
