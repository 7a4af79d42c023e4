import type { Connection } from '../../domain/ports/connection.ts'
import type { Call } from './call.ts'

/** One query or mutation. What Linear refuses with status 200 is thrown by the call. */
export async function linearQuery<T>(
  call: Call,
  connection: Connection,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<T> {
  const { body } = await call(connection, { method: 'POST', path: '/graphql', json: { query, variables } })
  return body.data
}
