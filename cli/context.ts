import { ConnectionError } from '@signalbox/client'
import type { Account } from './accounts.ts'
import { askMcp } from './mcp.ts'

/** Whose token it is, and of which workspace. */
export interface Context {
  person: { name: string; role: string }
  workspace: { slug: string; name: string }
  token: { prefix: string; expiresAt: string }
}

/** The REST API does not say whom a token belongs to; the MCP server does, to any token. */
export async function readContext({ url, token }: Pick<Account, 'url' | 'token'>): Promise<Context> {
  const call = {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'get_context', arguments: {} },
  }
  for await (const answer of askMcp({ address: `${url}/mcp?tools=get_context`, token: token ?? '' }, call)) {
    const { result } = answer as { result?: { structuredContent?: Context; isError?: boolean } }
    if (result?.structuredContent && !result.isError) return result.structuredContent
  }
  throw new ConnectionError(`${url} did not say who the token belongs to.`)
}
