import { Type } from 'typebox'

/** Every code an error body can carry, with its status and what it means to the caller. docs/errors.md is made from this table. */
export const errors = {
  invalid_request: {
    status: 400,
    means:
      'The request cannot be read: broken JSON, JSON nested too deeply, a missing or overlong field, a path that is not UTF-8, no Host.',
  },
  invalid_parameter: {
    status: 400,
    means:
      'A query parameter has an invalid value, is repeated, or is missing. The message names it and says what it accepts.',
  },
  unknown_parameter: {
    status: 400,
    means: 'The endpoint does not have this query parameter. The message lists the ones it has.',
  },
  invalid_cursor: {
    status: 400,
    means:
      'The cursor does not belong to this list: it was changed, or the filters were. Start again without it.',
  },
  invalid_option: {
    status: 400,
    means: 'The decision does not have this option. Read the decision to see its options.',
  },
  idempotency_key_reused: {
    status: 400,
    means:
      'The Idempotency-Key was used for another request within the last day. Use a new key for each request.',
  },
  invalid_alert: {
    status: 400,
    means: 'The alert cannot be read. The message names the field and what it accepts.',
  },
  missing_token: {
    status: 401,
    means: 'There is no Authorization header. Send an API token as a bearer token.',
  },
  invalid_token: {
    status: 401,
    means: 'The token is unknown, malformed or revoked, or its owner left the workspace. Create a new one.',
  },
  token_expired: { status: 401, means: 'The token has expired. Create a new one.' },
  invalid_proof: {
    status: 401,
    means: 'The delivery is not authenticated: its signature, key or token is missing or wrong.',
  },
  not_signed_in: { status: 401, means: 'You are not signed in, or your session has ended. Sign in again.' },
  sign_in_failed: {
    status: 401,
    means: 'The email address, password, code or passkey is wrong.',
  },
  sign_in_again: {
    status: 403,
    means: 'This needs a session that is less than a day old. Sign in again.',
  },
  proof_required: {
    status: 403,
    means:
      'This needs a proof of identity that is only minutes old. Confirm your password or passkey in the app, or sign in again.',
  },
  address_not_allowed: {
    status: 403,
    means: 'The workspace can only be used from certain networks, and the request comes from elsewhere.',
  },
  single_sign_on_required: {
    status: 403,
    means:
      'The workspace requires signing in through its identity provider, and this session started another way. Sign in through the provider.',
  },
  cross_site: {
    status: 403,
    means: 'The request does not come from a page of this server. Scripts use the REST API with a token.',
  },
  insufficient_scope: {
    status: 403,
    means: 'The token does not have the permission the endpoint needs. Create one that does.',
  },
  insufficient_role: {
    status: 403,
    means: "The token's owner does not have the role this needs, such as owner or admin for the audit log.",
  },
  own_question: {
    status: 403,
    means:
      'Your own coding agent asked this question, and the workspace does not let tokens of the same person answer it. Answer in the app, or ask someone else.',
  },
  person_required: {
    status: 403,
    means:
      "The team's policy asks for a person here, and a token does not show that a person is there. Answer in the app or in chat.",
  },
  https_required: {
    status: 403,
    means: 'Plain HTTP works only on the same machine. Use https, and revoke any token you sent without it.',
  },
  not_found: { status: 404, means: 'This path does not exist.' },
  team_not_found: { status: 404, means: "The token's workspace does not have this team." },
  requirement_not_found: {
    status: 404,
    means: "The token's workspace does not have this requirement.",
  },
  story_not_found: { status: 404, means: "The token's workspace does not have this story." },
  run_not_found: { status: 404, means: "The token's workspace does not have this run." },
  decision_not_found: { status: 404, means: "The token's workspace does not have this decision." },
  service_not_found: { status: 404, means: 'The workspace does not have this service.' },
  source_not_found: { status: 404, means: 'The workspace does not have this source.' },
  connection_not_found: { status: 404, means: 'The workspace does not have this connection.' },
  delivery_not_found: { status: 404, means: 'The source does not have this delivery.' },
  webhook_not_found: { status: 404, means: 'The workspace does not have this webhook endpoint.' },
  message_not_found: { status: 404, means: 'The webhook endpoint does not have this message.' },
  incident_not_found: { status: 404, means: 'The workspace does not have this incident.' },
  unknown_address: {
    status: 404,
    means:
      'No source or connection has this address: it was mistyped, or the source or connection was deleted.',
  },
  board_not_found: {
    status: 404,
    means: "The token's workspace does not have this team. Boards are now teams.",
  },
  invitation_not_found: {
    status: 404,
    means: 'The invitation was accepted or revoked, it expired, or the link is incomplete.',
  },
  session_not_found: { status: 404, means: 'This session was not found. It may have ended.' },
  runner_not_found: { status: 404, means: 'The workspace does not have this runner.' },
  file_not_found: { status: 404, means: 'No file with this hash was uploaded for the run.' },
  export_not_found: { status: 404, means: "The token's workspace does not have this export." },
  method_not_allowed: {
    status: 405,
    means: 'The path does not accept this method. The Allow header lists the ones it does.',
  },
  request_timeout: { status: 408, means: 'The request took too long to arrive.' },
  conflict: {
    status: 409,
    means: 'It has already been done, or something else happened first.',
  },
  changed_meanwhile: {
    status: 409,
    means: 'Someone changed it after you read it. Read it again and decide what to keep.',
  },
  decision_already_resolved: {
    status: 409,
    means: 'Someone has already answered the decision. Read the decision to see the answer.',
  },
  decision_not_pending: {
    status: 409,
    means: 'The decision has expired, was cancelled, or was superseded by a newer one. No one can answer it.',
  },
  session_alive: {
    status: 409,
    means:
      'Another process of this runner is still connected. Retry-After says how long to wait. Two runners can’t share one folder.',
  },
  session_over: {
    status: 409,
    means: 'The runner’s session has ended: it left, was removed, or registered again. Register again.',
  },
  runner_removed: {
    status: 403,
    means: 'An owner or admin removed the runner. Start it again to connect it as a new one.',
  },
  challenge_over: {
    status: 409,
    means:
      'The challenge that the runner signed was for another registration, was used already, or is older than a minute. Ask for a new one and sign that.',
  },
  proof_refused: {
    status: 403,
    means:
      'The registration is not signed with the key that it names, or with another token. A runner signs each challenge it is given.',
  },
  instance_taken: {
    status: 403,
    means:
      'The instance belongs to a runner with another key. Remove and forget the old runner in the app, or start the new one with a fresh data folder.',
  },
  runner_limit: {
    status: 403,
    means:
      'The token or the workspace has reached its limit of runners. Remove runners that are gone, or use another token.',
  },
  outdated: {
    status: 409,
    means:
      'The work order is over, or another one has taken its place. Stop working on it and push nothing; what it cost may still be reported.',
  },
  report_gap: {
    status: 409,
    means:
      'Reports, and chunks of a log, are numbered from 1 without gaps. `next` is the number expected next.',
  },
  endpoint_removed: {
    status: 410,
    means:
      'The endpoint was part of the first API version and has been removed. The Link header names its replacement.',
  },
  file_limit: {
    status: 413,
    means:
      'The work order has reached its limit of files or bytes, or the workspace has reached its limit. The message says which.',
  },
  report_limit: {
    status: 413,
    means:
      'The work order has reached its limit of reports. Report that it failed; nothing else is accepted.',
  },
  payload_too_large: { status: 413, means: 'The body is larger than the endpoint accepts.' },
  unsupported_media_type: { status: 415, means: 'The body is not JSON, or is compressed.' },
  expectation_failed: {
    status: 417,
    means: 'The server does not support this Expect header. Leave it out.',
  },
  hash_mismatch: {
    status: 422,
    means: 'The bytes that arrived are not those that the address names. Send them again.',
  },
  upgrade_required: {
    status: 426,
    means:
      'The runner speaks a protocol that this server does not, or does not sign its registration. The message says what to upgrade.',
  },
  rate_limited: {
    status: 429,
    means:
      'The token or the session has used up its requests for this minute, there were too many sign-in attempts, or too many invitations within a day. Retry-After says how many seconds to wait, where it is less than a day.',
  },
  tool_refused: {
    status: 422,
    means: 'An outside tool refused what was asked of it. The message says why and what would help.',
  },
  headers_too_large: { status: 431, means: 'The URL and headers together are larger than 16 KB.' },
  internal_error: {
    status: 500,
    means: 'Something went wrong on the server. Its log has the details under the request ID.',
  },
  tool_unavailable: {
    status: 503,
    means: 'An outside tool did not answer, or asks us to wait. Try again later.',
  },
  service_unavailable: {
    status: 503,
    means:
      'The server cannot answer right now, for example because its database is unavailable. Retry-After says when to try again.',
  },
} as const
export type ErrorCode = keyof typeof errors

export const ErrorBody = Type.Object(
  {
    error: Type.Object({ code: Type.String(), message: Type.String() }, { additionalProperties: false }),
  },
  { $id: 'Error', additionalProperties: false },
)
