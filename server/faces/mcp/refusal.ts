import type { ErrorCode } from '@signalbox/contract/error.ts'
import { remedyIn } from '@signalbox/contract/remedy.ts'
import { DomainError } from '../../domain/errors.ts'
import { whyUnavailable } from '../http/errors.ts'

export interface Refusal {
  error: { code: ErrorCode; message: string; nextStep: string }
}

/** What was refused, as an agent can mend it: the error of the REST API, with what to do now. Null: it is our fault. */
export function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof DomainError)) {
    const message = whyUnavailable(error)
    return message === null ? null : refused('service_unavailable', message)
  }
  const { code, message, beside } = error
  const remedy = remedyIn(message)
  const nextStep = remedy
    ? `Do not retry. Tell your user what the message says, and that ${remedy.doc} of this server explains it.`
    : undefined
  return { ...refused(code, message, nextStep), ...beside }
}

const refused = (code: ErrorCode, message: string, nextStep = nextSteps[code]): Refusal => ({
  error: { code, message, nextStep: nextStep ?? 'Correct the arguments and call again.' },
})

const nextSteps: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'Correct the argument that the message names and call again.',
  invalid_parameter: 'Correct the argument that the message names and call again.',
  invalid_cursor: 'Call again without cursor to start at the first page.',
  invalid_option: 'Call get_decision to see the ids of its options, then answer with one of them.',
  idempotency_key_reused: 'Use a new idempotencyKey for a new request.',
  insufficient_role:
    'Do not retry. Tell your user which role is needed, so that someone who has it can do it.',
  own_question: 'Do not retry. Give your user the link to the decision: they can answer it in the app.',
  person_required:
    'Do not retry. Give your user the link to the decision: they answer it in the app or in chat.',
  team_not_found: 'Call get_context to see the slugs of the teams.',
  story_not_found: 'Call list_stories to see the keys of a team’s stories.',
  run_not_found: 'Call list_runs to see the keys of runs.',
  decision_not_found: 'Call list_decisions to see the keys of decisions.',
  requirement_not_found: 'Ask your user for the slug: it is the last part of the address of its page.',
  incident_not_found: 'Call list_incidents to see the keys of incidents.',
  changed_meanwhile:
    'Read the current version below, decide what to keep, and call again with its updatedAt or version.',
  decision_already_resolved: 'Continue with the answer below. It cannot be changed.',
  decision_not_pending:
    'No one can answer it any more. Call list_decisions with status pending to see what is open.',
  conflict: 'Nothing was changed. Read the thing again before you try something else.',
  rate_limited: 'Wait as long as the message says.',
  service_unavailable: 'Wait a few seconds and call again.',
}

export const internalRefusal = (requestId: string | undefined): Refusal => ({
  error: {
    code: 'internal_error',
    message: `Something went wrong on our side. The server log has the details${requestId ? ` under ${requestId}` : ''}.`,
    nextStep: 'Try once more. If it fails again, tell your user and continue without it.',
  },
})
