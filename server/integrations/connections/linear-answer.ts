import { ToolBusy, ToolRefused } from '../../domain/ports/connection.ts'

interface GraphqlError {
  message?: string
  extensions?: { code?: string; type?: string }
}

/** What Linear refuses, told in an answer with status 200; null: nothing. */
export function linearFailure(body: unknown, now: Date): ToolBusy | ToolRefused | null {
  const { errors } = (body ?? {}) as { errors?: GraphqlError[] }
  const [error] = Array.isArray(errors) ? errors : []
  if (!error) return null
  const code = `${error.extensions?.code ?? ''} ${error.extensions?.type ?? ''}`
  const more = { answer: body }
  if (/RATE.?LIMITED/i.test(code)) return new ToolBusy('Linear says we called too often.', 60_000, now)
  if (/INTERNAL|LOCK_TIMEOUT/i.test(code)) return new ToolBusy('Linear can’t answer now.', null, now)
  if (/AUTHENTICATION/i.test(code))
    return new ToolRefused('unauthorized', 'Linear rejected the credentials. Replace them.', more)
  if (/FORBIDDEN/i.test(code))
    return new ToolRefused('forbidden', 'Linear doesn’t allow this account to do that.', more)
  if (/not.?found/i.test(`${code} ${error.message}`))
    return new ToolRefused('not_found', 'Linear doesn’t have that, or hides it from this account.', more)
  return new ToolRefused('invalid', 'Linear didn’t accept the request.', more)
}
