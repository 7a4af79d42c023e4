import { Type } from 'typebox'

/** Every code an error body can carry, with its status and what it means to whoever gets it. docs/errors.md is made from this table. */
export const errors = {
  invalid_request: {
    status: 400,
    means:
      'The request cannot be read: broken JSON, JSON that nests too deep, a missing or overlong field, a path that is not UTF-8, no Host.',
  },
  invalid_parameter: {
    status: 400,
    means:
      'A query parameter has a value it cannot take, is given twice, or is missing. The message names it and says what it takes.',
  },
  unknown_parameter: {
    status: 400,
    means: 'The endpoint has no such query parameter. The message lists those it has.',
  },
  invalid_cursor: {
    status: 400,
    means: 'The cursor is not one of this list: it was changed, or the filters were. Begin again without it.',
  },
  invalid_option: {
    status: 400,
    means: 'The decision has no such option. Read the decision to see its options.',
  },
  idempotency_key_reused: {
    status: 400,
    means:
      'The Idempotency-Key was used for another request within the last day. Use a new key for each request.',
  },
  invalid_alert: {
    status: 400,
    means: 'The alert cannot be read. The message names the field and what it takes.',
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
    means:
      "The delivery does not prove that it knows the source's secret: no signature, key or token, or a wrong one.",
  },
  not_signed_in: { status: 401, means: 'You are not signed in, or your session has ended. Sign in again.' },
  sign_in_failed: {
    status: 401,
    means:
      'What was sent does not prove who you are: the address, the password, the code or the passkey is wrong.',
  },
  sign_in_again: {
    status: 403,
    means: 'This needs a session that is less than a day old. Sign in again.',
  },
  cross_site: {
    status: 403,
    means: 'The request does not come from a page of this server. Scripts use the REST API with a token.',
  },
  insufficient_scope: {
    status: 403,
    means: 'The token lacks the permission that the endpoint needs. Create one that has it.',
  },
  insufficient_role: {
    status: 403,
    means: "The token's owner lacks the role that this needs, such as owner or admin for the audit log.",
  },
  https_required: {
    status: 403,
    means:
      'Plain HTTP is served on the same machine only. Use https, and revoke a token that was sent without it.',
  },
  not_found: { status: 404, means: 'There is no such path.' },
  team_not_found: { status: 404, means: 'There is no such team in the workspace of the token.' },
  requirement_not_found: {
    status: 404,
    means: 'There is no such requirement in the workspace of the token.',
  },
  story_not_found: { status: 404, means: 'There is no such story in the workspace of the token.' },
  run_not_found: { status: 404, means: 'There is no such run in the workspace of the token.' },
  decision_not_found: { status: 404, means: 'There is no such decision in the workspace of the token.' },
  service_not_found: { status: 404, means: 'There is no such service in the workspace.' },
  source_not_found: { status: 404, means: 'There is no such source in the workspace.' },
  delivery_not_found: { status: 404, means: 'The source has no such delivery.' },
  incident_not_found: { status: 404, means: 'There is no such incident in the workspace.' },
  unknown_address: {
    status: 404,
    means: 'No source has this address: it was mistyped, or the source was deleted.',
  },
  board_not_found: {
    status: 404,
    means: 'There is no such team in the workspace of the token; boards are teams now.',
  },
  invitation_not_found: {
    status: 404,
    means: 'There is no such invitation: it was accepted or revoked, it expired, or the link is incomplete.',
  },
  session_not_found: { status: 404, means: 'This session was not found. It may have ended.' },
  runner_not_found: { status: 404, means: 'There is no such runner in the workspace.' },
  file_not_found: {
    status: 404,
    means: 'No file with this hash was uploaded in the workspace of the token.',
  },
  export_not_found: { status: 404, means: 'There is no such export in the workspace of the token.' },
  method_not_allowed: { status: 405, means: 'The path takes other methods; the Allow header lists them.' },
  request_timeout: { status: 408, means: 'The request took too long to arrive.' },
  conflict: {
    status: 409,
    means: 'What was asked for has already happened, or something else has happened first.',
  },
  changed_meanwhile: {
    status: 409,
    means: 'Someone changed it after you read it. Read it again and decide what to keep.',
  },
  decision_already_resolved: {
    status: 409,
    means: 'Someone has answered the decision; the first answer wins. Read the decision to see the answer.',
  },
  decision_not_pending: {
    status: 409,
    means: 'The decision has expired, was cancelled, or was superseded by a newer one. No one can answer it.',
  },
  session_alive: {
    status: 409,
    means:
      'A runner with this identity is at work under another start. Retry-After tells when it would count as gone; two runners must not share one folder.',
  },
  session_over: {
    status: 409,
    means: 'The runner’s session has ended: it left, was removed, or has registered anew. Register again.',
  },
  runner_removed: {
    status: 409,
    means: 'An owner or admin removed the runner. Start it again to connect it as a new one.',
  },
  outdated: {
    status: 409,
    means:
      'The work order is over, or another one has taken its place. Stop working on it and push nothing; what it cost may still be reported.',
  },
  report_gap: {
    status: 409,
    means: 'Reports are numbered from 1 without gaps. `next` names the one that is wanted.',
  },
  endpoint_removed: {
    status: 410,
    means:
      'The endpoint belonged to the first API version and is gone. The Link header names what replaces it.',
  },
  payload_too_large: { status: 413, means: 'The body is larger than the endpoint takes.' },
  unsupported_media_type: { status: 415, means: 'The body is not JSON, or is compressed.' },
  expectation_failed: {
    status: 417,
    means: 'The request expects something that no server here does. Leave the Expect header out.',
  },
  hash_mismatch: {
    status: 422,
    means: 'The bytes that arrived are not those that the address names. Send them again.',
  },
  upgrade_required: {
    status: 426,
    means:
      'The runner speaks a protocol that this server does not. The message says which versions it takes.',
  },
  rate_limited: {
    status: 429,
    means:
      'The token has used its requests of this minute, or there were too many attempts to sign in. Retry-After tells how many seconds are left.',
  },
  headers_too_large: { status: 431, means: 'The address and headers together are larger than 16 KB.' },
  internal_error: {
    status: 500,
    means: 'Something went wrong on the side of the server. Its log has the details under the request id.',
  },
  service_unavailable: {
    status: 503,
    means:
      'The server cannot answer just now, for instance because its database is away. Retry-After tells when to try again.',
  },
} as const
export type ErrorCode = keyof typeof errors

export const ErrorBody = Type.Object(
  {
    error: Type.Object({ code: Type.String(), message: Type.String() }, { additionalProperties: false }),
  },
  { $id: 'Error', additionalProperties: false },
)
