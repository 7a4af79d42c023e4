import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import { errorAnswer } from '../http/errors.ts'
import { scimJson } from './resource.ts'

type ScimType = 'invalidFilter' | 'invalidPath' | 'invalidSyntax' | 'invalidValue' | 'mutability' | 'noTarget'

/** A request that cannot be done, with the word that SCIM has for why. */
export const refused = (scimType: ScimType, detail: string): DomainError =>
  new DomainError('invalid_request', detail, { scimType })

const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** Every error in SCIM's own shape (RFC 7644 section 3.12), with the status and headers that errors have everywhere. */
export function sendScimError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = errorAnswer(error, request)
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at]!, headers[at + 1]!)
  const told = JSON.parse(body) as { error: { message: string }; scimType?: string }
  const { scimType } = told
  return reply
    .code(status)
    .type(scimJson)
    .send(
      JSON.stringify({
        schemas: [errorSchema],
        status: String(status),
        ...(scimType === undefined ? {} : { scimType }),
        detail: told.error.message,
      }),
    )
}
