import { maxResourceName, possibleName } from '@signalbox/contract/manage/resource.ts'
import { asksFor } from '@signalbox/contract/remedy.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Tools } from '../../domain/configuration/resources/kind.ts'
import type { Context } from '../../domain/context.ts'
import { DomainError } from '../../domain/errors.ts'
import { requireRole } from '../../domain/roles.ts'
import { admitToken, type TokenServices } from '../http/bearer.ts'
import { bodyReader, queryReader } from '../http/input.ts'
import { noSuchPath, ownPaths } from '../http/paths.ts'
import { type Endpoint, endpoints } from './endpoints.ts'
import { fileSchema, manageOpenApi } from './openapi.ts'

export interface ManageServices extends TokenServices {
  publicUrl: () => string
  /** What the operator has set; without it, there is nothing here. */
  managementApi: boolean
  tools: Tools
}

/** A workspace of two thousand resources, generously. */
const maxBodyBytes = 4 * 1_048_576

/**
 * The management API: the configuration of a workspace by stable names, for files and for Terraform. It is apart from
 * the REST API, which changes no policy and deletes nothing (docs/decisions/0103).
 */
export async function manageFace(app: FastifyInstance, services: ManageServices): Promise<void> {
  if (services.managementApi) {
    for (const endpoint of endpoints) serve(app, endpoint, services)
    app.get('/manage/v1/openapi.json', async (_, reply) =>
      reply.header('cache-control', 'no-cache').send(manageOpenApi(services.publicUrl())),
    )
    app.get('/manage/v1/schema.json', async (_, reply) =>
      reply.header('cache-control', 'no-cache').send(fileSchema()),
    )
  }
  ownPaths(app, ['/manage'], (_, __, done) => done(services.managementApi ? noSuchPath() : off()))
}

const off = () => new DomainError('not_found', `The management API is off. ${asksFor('MANAGEMENT_API')}`)

const noParameters = queryReader(undefined)

function serve(app: FastifyInstance, endpoint: Endpoint, services: ManageServices): void {
  const bodyOf = endpoint.body && bodyReader(endpoint.body)
  app.route({
    ...{ method: endpoint.method, url: endpoint.path, bodyLimit: maxBodyBytes, exposeHeadRoute: false },
    handler: async (request, reply) => {
      request.operation = endpoint.operation
      reply.header('cache-control', 'no-store')
      const ctx = await admit(services, request, reply)
      noParameters(request.query)
      const body = bodyOf?.(request) as never
      const { name = '' } = request.params as { name?: string }
      if (name !== '' && !possibleName.test(name))
        throw new DomainError(
          'invalid_request',
          `A name is one line of at most ${maxResourceName} characters without control characters.`,
        )
      const answer = await endpoint.respond(ctx, services.tools, { name, body })
      return endpoint.response ? reply.send(answer) : reply.code(204).send()
    },
  })
}

async function admit(
  services: ManageServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Context> {
  const { ctx, holder } = await admitToken(services, request, reply, 'manage')
  if (!holder.manages)
    throw new DomainError(
      'insufficient_scope',
      'The token may not manage the configuration. Create one that may under Settings, API.',
    )
  requireRole(ctx, 'admin', 'manage the configuration')
  return ctx
}
