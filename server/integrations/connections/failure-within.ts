import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'
import { ToolBusy, ToolRefused } from '../../domain/ports/connection.ts'
import { linearFailure } from './linear-answer.ts'
import { slackFailure } from './slack-answer.ts'

interface Within {
  failure: ToolBusy | ToolRefused
  /** False: parts of the response may have come, and the caller has to check. */
  isWhole: boolean
}

/**
 * What a tool refuses with status 200, told in the body: Slack in `ok`, GraphQL in `errors`. Looked at before anything is
 * noted as a success. Null: it refuses nothing.
 */
export function failureWithin(kind: ConnectionKind, path: string, body: unknown, now: Date): Within | null {
  const failure =
    kind === 'slack'
      ? slackFailure(path, body, now)
      : kind === 'linear'
        ? linearFailure(body, now)
        : kind === 'github' && path.endsWith('/graphql')
          ? githubFailure(body, now)
          : null
  return failure && { failure, isWhole: kind !== 'github' }
}

interface GraphqlErrors {
  errors?: { type?: unknown; message?: unknown }[]
}

/** A single field may be missing on an older server, or be hidden: the caller decides whether that matters. */
function githubFailure(body: unknown, now: Date): ToolBusy | ToolRefused | null {
  const { errors } = (body ?? {}) as GraphqlErrors
  if (!Array.isArray(errors) || errors.length === 0) return null
  const types = errors.map(({ type }) => `${type}`)
  if (types.includes('RATE_LIMITED')) return new ToolBusy('GitHub says we called too often.', 60_000, now)
  if (types.some((type) => type === 'FORBIDDEN' || type === 'INSUFFICIENT_SCOPES'))
    return new ToolRefused(
      'forbidden',
      'GitHub doesn’t allow this account to do that. Compare its permissions with the connection’s page.',
      { answer: body },
    )
  return new ToolRefused('invalid', 'GitHub’s response was incomplete.', { answer: body })
}
