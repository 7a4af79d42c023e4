import type { FastifyInstance, FastifyReply } from 'fastify'
import { openApi } from './openapi.ts'
import { errorsPage, referencePage, referenceStyle } from './reference.ts'

const policy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The API describes itself: a document for tools and a page for people. Both are open, as the code is. */
export function describe(app: FastifyInstance, publicUrl: () => string): void {
  app.get('/v1/openapi.json', async (_, reply) =>
    reply.header('cache-control', 'no-cache').send(openApi(publicUrl())),
  )
  app.get('/v1/reference', async (_, reply) => html(reply, referencePage(openApi(publicUrl()), publicUrl())))
  app.get('/v1/errors', async (_, reply) => html(reply, errorsPage()))
  app.get('/v1/reference.css', async (_, reply) => reply.type('text/css; charset=utf-8').send(referenceStyle))
}

const html = (reply: FastifyReply, page: string) =>
  reply
    .headers({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    .type('text/html; charset=utf-8')
    .send(page)
