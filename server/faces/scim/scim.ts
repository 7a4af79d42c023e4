import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findProvisioner } from '../../domain/accounts/provisioning/authenticate.ts'
import { changeGroup } from '../../domain/accounts/provisioning/change-group.ts'
import { changeUser } from '../../domain/accounts/provisioning/change-user.ts'
import { createGroup } from '../../domain/accounts/provisioning/create-group.ts'
import { createUser } from '../../domain/accounts/provisioning/create-user.ts'
import { deleteGroup } from '../../domain/accounts/provisioning/delete-group.ts'
import { deleteUser } from '../../domain/accounts/provisioning/delete-user.ts'
import { listGroups, readGroup } from '../../domain/accounts/provisioning/read-groups.ts'
import { listUsers, readUser } from '../../domain/accounts/provisioning/read-users.ts'
import type { Context } from '../../domain/context.ts'
import type { RateLimiter } from '../../infra/http/rate-limit.ts'
import { bearer } from '../http/bearer.ts'
import { noSuchPath, ownPaths } from '../http/paths.ts'
import { refuseForNow, tellQuota } from '../http/quota.ts'
import { originOfRequest } from '../http/session.ts'
import { bodyOf } from './body.ts'
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { sendScimError } from './errors.ts'
import { groupIn, groupPatched, groupResource } from './groups.ts'
import { groupFilterIn, readPaging, userFilterIn } from './query.ts'
import { listResponse, type ScimResource, scimJson } from './resource.ts'
import { newUserIn, parseId, userIn, userPatched, userResource } from './users.ts'

export interface ScimServices extends Pick<Context, 'db' | 'clock' | 'queue'> {
  publicUrl: () => string
  /** By token. */
  limiter: RateLimiter
}

type Values = Record<string, unknown>

/** What one request is about. */
interface Asked {
  ctx: Context
  /** The address of SCIM, for `meta.location`. */
  base: string
  id: string
  query: Values
  body: () => Values
}

/** Rendered, with its status; null: there is nothing to say. */
interface Answered {
  status?: number
  /** Of what was made. */
  location?: string
  body: object | null
}

const created = (body: ScimResource): Answered => ({ status: 201, location: body.meta.location, body })

interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  operation: string
  answer: (asked: Asked) => Promise<Answered>
}

const routes: Route[] = [
  {
    method: 'GET',
    path: '/ServiceProviderConfig',
    operation: 'scim.config',
    answer: async ({ base }) => ({ body: serviceProviderConfig(base) }),
  },
  {
    method: 'GET',
    path: '/ResourceTypes',
    operation: 'scim.resourceTypes',
    answer: async ({ base }) => ({ body: listResponse(resourceTypes(base)) }),
  },
  {
    method: 'GET',
    path: '/ResourceTypes/:id',
    operation: 'scim.resourceType',
    answer: async ({ base, id }) => ({ body: oneOf(resourceTypes(base), id) }),
  },
  {
    method: 'GET',
    path: '/Schemas',
    operation: 'scim.schemas',
    answer: async ({ base }) => ({ body: listResponse(schemas(base)) }),
  },
  {
    method: 'GET',
    path: '/Schemas/:id',
    operation: 'scim.schema',
    answer: async ({ base, id }) => ({ body: oneOf(schemas(base), id) }),
  },
  {
    method: 'GET',
    path: '/Users',
    operation: 'scim.users.list',
    answer: async ({ ctx, base, query }) => {
      const part = readPaging(query)
      const { users, total } = await listUsers(ctx, userFilterIn(query), part)
      return {
        body: listResponse(
          users.map((user) => userResource(user, base)),
          total,
          part.offset,
        ),
      }
    },
  },
  {
    method: 'POST',
    path: '/Users',
    operation: 'scim.users.create',
    answer: async ({ ctx, base, body }) =>
      created(userResource(await createUser(ctx, newUserIn(body())), base)),
  },
  {
    method: 'GET',
    path: '/Users/:id',
    operation: 'scim.users.read',
    answer: async ({ ctx, base, id }) => ({
      body: userResource(await readUser(ctx, parseId(id, 'user')), base),
    }),
  },
  {
    method: 'PUT',
    path: '/Users/:id',
    operation: 'scim.users.replace',
    answer: async ({ ctx, base, id, body }) => {
      const given = body()
      const changed = await changeUser(ctx, parseId(id, 'user'), ({ active }) => userIn(given, active))
      return { body: userResource(changed, base) }
    },
  },
  {
    method: 'PATCH',
    path: '/Users/:id',
    operation: 'scim.users.patch',
    answer: async ({ ctx, base, id, body }) => {
      const patch = body()
      const changed = await changeUser(ctx, parseId(id, 'user'), (user) => userPatched(user, patch))
      return { body: userResource(changed, base) }
    },
  },
  {
    method: 'DELETE',
    path: '/Users/:id',
    operation: 'scim.users.delete',
    answer: async ({ ctx, id }) => {
      await deleteUser(ctx, parseId(id, 'user'))
      return { status: 204, body: null }
    },
  },
  {
    method: 'GET',
    path: '/Groups',
    operation: 'scim.groups.list',
    answer: async ({ ctx, base, query }) => {
      const part = readPaging(query)
      const { groups, total } = await listGroups(ctx, groupFilterIn(query), part)
      return {
        body: listResponse(
          groups.map((group) => groupResource(group, base, query)),
          total,
          part.offset,
        ),
      }
    },
  },
  {
    method: 'POST',
    path: '/Groups',
    operation: 'scim.groups.create',
    answer: async ({ ctx, base, query, body }) =>
      created(groupResource(await createGroup(ctx, groupIn(body())), base, query)),
  },
  {
    method: 'GET',
    path: '/Groups/:id',
    operation: 'scim.groups.read',
    answer: async ({ ctx, base, query, id }) => ({
      body: groupResource(await readGroup(ctx, parseId(id, 'group')), base, query),
    }),
  },
  {
    method: 'PUT',
    path: '/Groups/:id',
    operation: 'scim.groups.replace',
    answer: async ({ ctx, base, query, id, body }) => {
      const given = groupIn(body())
      return { body: groupResource(await changeGroup(ctx, parseId(id, 'group'), () => given), base, query) }
    },
  },
  {
    method: 'PATCH',
    path: '/Groups/:id',
    operation: 'scim.groups.patch',
    answer: async ({ ctx, base, query, id, body }) => {
      const patch = body()
      const changed = await changeGroup(ctx, parseId(id, 'group'), (group) => groupPatched(group, patch))
      return { body: groupResource(changed, base, query) }
    },
  },
  {
    method: 'DELETE',
    path: '/Groups/:id',
    operation: 'scim.groups.delete',
    answer: async ({ ctx, id }) => {
      await deleteGroup(ctx, parseId(id, 'group'))
      return { status: 204, body: null }
    },
  },
]

/**
 * SCIM 2.0 (RFC 7644): how an identity provider manages the people of a workspace. Authenticated by a token of the
 * workspace; errors are in SCIM's own shape.
 */
export async function scimFace(app: FastifyInstance, services: ScimServices): Promise<void> {
  app.setErrorHandler(sendScimError)
  for (const { method, path, operation, answer } of routes)
    app.route<{ Params: { id?: string } }>({
      method,
      url: `/scim/v2${path}`,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        request.operation = operation
        const ctx = await admit(services, request, reply)
        const {
          status = 200,
          location,
          body,
        } = await answer({
          ctx,
          base: `${services.publicUrl()}/scim/v2`,
          id: request.params.id ?? '',
          query: request.query as Values,
          body: () => bodyOf(request),
        })
        reply.code(status).header('cache-control', 'no-store')
        if (location !== undefined) reply.header('location', location)
        return body === null ? reply.send() : reply.type(scimJson).send(JSON.stringify(body))
      },
    })
  ownPaths(app, ['/scim'], (_, __, done) => done(noSuchPath()))
}

/** The context in which the provider acts: the system, under the name of its token. */
async function admit(services: ScimServices, request: FastifyRequest, reply: FastifyReply): Promise<Context> {
  const { db, clock, queue, limiter } = services
  const { tokenId, workspaceId, name, prefix } = await findProvisioner(services, bearer(request))
  request.caller = { channel: 'scim', workspace: workspaceId, token: prefix }
  const quota = limiter.count(tokenId)
  tellQuota(reply, quota)
  if (quota.refused) refuseForNow(reply, quota)
  return {
    ...{ db, clock, queue, workspaceId, channel: 'scim' },
    actor: { type: 'system', name: `SCIM: ${name}` },
    origin: { ...originOfRequest(request), tokenPrefix: prefix },
  }
}

function oneOf<T extends { id: string }>(all: T[], id: string): T {
  const found = all.find((one) => one.id === id)
  if (!found) throw noSuchPath()
  return found
}
