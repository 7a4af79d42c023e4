import { createInterface } from 'node:readline'
import type { Asked } from '@signalbox/contract/command-line.ts'
import { currentAccount } from '../accounts.ts'
import { CommandError } from '../command-error.ts'
import type { mcpLine } from '../command-lines.ts'
import { askMcp, type McpServer } from '../mcp.ts'

interface Message {
  id?: string | number | null
  method?: string
  params?: { requestId?: string | number }
  result?: { protocolVersion?: unknown }
}

const parseError = -32_700
const serverError = -32_000
/** How long what was asked last is waited for once the agent says nothing more: a script pipes its questions in. */
const lastAnswersMs = 3_000

/** Each line is a message of the agent, and each answer of the server becomes a line. Several may be on their way. */
export async function run({ values }: Asked<typeof mcpLine>): Promise<void> {
  const { url, token } = await currentAccount()
  if (token === null)
    throw new CommandError('This needs an API token. Sign in again with: signalbox login', 'notSignedIn')
  const address = new URL(`${url}/mcp${values['read-only'] ? '/readonly' : ''}`)
  for (const name of ['toolsets', 'tools'] as const)
    if (values[name] !== undefined) address.searchParams.set(name, values[name])
  const bridge = new Bridge({ address: address.href, token })
  const underWay = new Set<Promise<void>>()
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue
    const passed = bridge.pass(line).finally(() => underWay.delete(passed))
    underWay.add(passed)
  }
  // The agent is gone: what takes longer, such as a question to a person, is not wanted any more.
  const timer = setTimeout(() => bridge.close(), lastAnswersMs)
  await Promise.all(underWay)
  clearTimeout(timer)
}

class Bridge {
  readonly #server: McpServer
  readonly #open = new Map<string | number, AbortController>()

  constructor(server: McpServer) {
    this.#server = server
  }

  async pass(line: string): Promise<void> {
    const message = messageIn(line)
    if (message === null)
      return answer({ id: null, error: { code: parseError, message: 'This is not JSON.' } })
    if (message.method === 'notifications/cancelled') this.#cancel(message)
    const asks = message.method !== undefined && message.id !== undefined && message.id !== null
    const ending = new AbortController()
    if (asks) this.#open.set(message.id!, ending)
    try {
      for await (const got of askMcp(this.#server, message, ending.signal)) {
        if (message.method === 'initialize') this.#agreed(got as Message)
        answer(got as object)
      }
    } catch (error) {
      if (ending.signal.aborted) return
      const said = (error as Error).message
      if (asks) answer({ id: message.id, error: { code: serverError, message: said } })
      else process.stderr.write(`${said}\n`)
    } finally {
      if (asks) this.#open.delete(message.id!)
    }
  }

  close(): void {
    for (const ending of this.#open.values()) ending.abort()
  }

  /** Closing the connection is how the server is told, whichever version is spoken. */
  #cancel({ params }: Message): void {
    if (params?.requestId !== undefined) this.#open.get(params.requestId)?.abort()
  }

  #agreed({ result }: Message): void {
    if (typeof result?.protocolVersion === 'string') this.#server.version = result.protocolVersion
  }
}

function messageIn(line: string): Message | null {
  try {
    const message = JSON.parse(line)
    return typeof message === 'object' && message !== null ? message : null
  } catch {
    return null
  }
}

/** JSON has no line breaks of its own, so a message is a line. */
const answer = (message: object) =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
