import { type Connection, ToolBusy, ToolRefused } from '../../domain/ports/connection.ts'
import type { Call } from './call.ts'

interface GraphqlError {
  message?: string
  extensions?: { code?: string; type?: string }
}

/** One query or mutation. Linear answers many refusals with status 200 and tells them in the body. */
export async function linearQuery<T>(
  call: Call,
  connection: Connection,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<T> {
  const { body } = await call(connection, { method: 'POST', path: '/graphql', json: { query, variables } })
  const [error] = (body?.errors ?? []) as GraphqlError[]
  if (!error) return body.data
  const code = error.extensions?.code ?? ''
  if (code === 'RATELIMITED') throw new ToolBusy('Linear says we called too often.', 60_000, new Date())
  if (/AUTHENTICATION/i.test(code))
    throw new ToolRefused('unauthorized', 'Linear rejected the credentials. Replace them.', { answer: body })
  if (/FORBIDDEN/i.test(code))
    throw new ToolRefused('forbidden', 'Linear doesn’t allow this account to do that.', { answer: body })
  if (/not.?found/i.test(`${code} ${error.message}`))
    throw new ToolRefused('not_found', 'Linear doesn’t have that, or hides it from this account.', {
      answer: body,
    })
  throw new ToolRefused('invalid', 'Linear didn’t accept the request.', { answer: body })
}
