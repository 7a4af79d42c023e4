import { ApiError, ConnectionError } from '@signalbox/client'
import { dictionary } from '@signalbox/contract/dictionary.ts'
import { eventsOf } from './event-stream.ts'

export interface McpServer {
  address: string
  token: string
  /** The version that was agreed on; a message that names its own has that. */
  version?: string | undefined
}

const versionInMessage = 'io.modelcontextprotocol/protocolVersion'

/** Sends one message to the MCP server and gives what comes back: one message, several as they come, or none. */
export async function* askMcp(
  { address, token, version }: McpServer,
  message: unknown,
  signal?: AbortSignal,
): AsyncGenerator<unknown> {
  const response = await post(address, token, versionOf(message) ?? version, message, signal)
  const type = response.headers.get('content-type') ?? ''
  if (!response.ok && !(/json/.test(type) && response.status === 400)) throw await refusalOf(response)
  if (response.status === 202 || response.body === null) return
  if (!/event-stream/.test(type)) {
    yield await response.json()
    return
  }
  for await (const { data } of eventsOf(response.body)) yield JSON.parse(data)
}

async function post(
  address: string,
  token: string,
  version: string | undefined,
  message: unknown,
  signal: AbortSignal | undefined,
): Promise<Response> {
  try {
    return await fetch(address, {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        ...(version ? { 'mcp-protocol-version': version } : {}),
        ...routingHeaders(message),
      },
      body: JSON.stringify(message),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ConnectionError(`${new URL(address).origin} cannot be reached.`, { cause: error })
  }
}

const nameIn: Record<string, string> = dictionary({
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
})

/** Of 2026-07-28: what the body says, once more, for proxies that route by it. Older versions have none of this. */
function routingHeaders(message: unknown): Record<string, string> {
  const { method, params = {} } = message as { method?: string; params?: Record<string, unknown> }
  if (versionOf(message) === undefined || method === undefined) return {}
  const name = params[nameIn[method] ?? '']
  return { 'mcp-method': method, ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}) }
}

/** What a header cannot hold as it is goes as base64, and says so. */
const headerText = (text: string) =>
  /^(?! |=\?base64\?)[ -~]*(?<! )$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`

function versionOf(message: unknown): string | undefined {
  const { _meta: meta } = (message as { params?: { _meta?: Record<string, unknown> } }).params ?? {}
  const version = meta?.[versionInMessage]
  return typeof version === 'string' ? version : undefined
}

async function refusalOf(response: Response): Promise<ApiError> {
  const { error } = ((await response.json().catch(() => null)) ?? {}) as {
    error?: { code?: unknown; message?: unknown }
  }
  return new ApiError({
    status: response.status,
    code: typeof error?.code === 'string' ? error.code : 'unknown',
    message: typeof error?.message === 'string' ? error.message : `The server answered ${response.status}.`,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: null,
  })
}
