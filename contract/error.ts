import { Type } from 'typebox'

/** Every code an error body can carry, with the status it is sent with. docs/errors.md is made from this table. */
export const errorStatus = {
  invalid_request: 400,
  invalid_parameter: 400,
  unknown_parameter: 400,
  invalid_cursor: 400,
  invalid_option: 400,
  missing_token: 401,
  invalid_token: 401,
  token_expired: 401,
  insufficient_scope: 403,
  insufficient_role: 403,
  https_required: 403,
  not_found: 404,
  team_not_found: 404,
  story_not_found: 404,
  run_not_found: 404,
  decision_not_found: 404,
  board_not_found: 404,
  export_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  endpoint_removed: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  service_unavailable: 503,
} as const
export type ErrorCode = keyof typeof errorStatus

export const ErrorBody = Type.Object(
  {
    error: Type.Object({ code: Type.String(), message: Type.String() }, { additionalProperties: false }),
  },
  { $id: 'Error', additionalProperties: false },
)
