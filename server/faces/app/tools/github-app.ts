import { randomBytes } from 'node:crypto'
import { uuid } from '@signalbox/contract/shapes.ts'
import type { FastifyInstance } from 'fastify'
import { Compile } from 'typebox/compile'
import { notFound } from '../../../domain/errors.ts'
import { appForm } from '../../../domain/tools/connections/apps/form.ts'
import { contextOfSession, type SessionServices } from '../../http/session.ts'
import type { AppTools } from '../operation.ts'

/**
 * The page that takes the browser to GitHub with what the app should be. GitHub wants a form to be posted, and the web
 * app's own policy lets forms go nowhere but here; this page may send one, to that host alone.
 */
export function serveGithubApp(app: FastifyInstance, services: AppTools & SessionServices): void {
  app.get('/api/w/:workspace/github-apps/:id', { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'connections.appForm'
    const ctx = await contextOfSession(services, request)
    const { id } = request.params as { id: string }
    if (!shape.Check(id)) throw notFound('connection', id)
    const { action, manifest } = await appForm(ctx, services, id)
    const nonce = randomBytes(16).toString('base64')
    return reply
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', policyOf(new URL(action).origin, nonce))
      .type('text/html; charset=utf-8')
      .send(page(action, manifest, nonce))
  })
}

const shape = Compile(uuid)

const policyOf = (origin: string, nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `form-action ${origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const page = (action: string, manifest: string, nonce: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Create GitHub App</title></head>
<body>
<form method="post" action="${escaped(action)}">
<input type="hidden" name="manifest" value="${escaped(manifest)}">
<p>GitHub shows what the app may do before you create it.</p>
<button type="submit">Continue to GitHub</button>
</form>
<script nonce="${nonce}">document.forms[0].submit()</script>
</body>
</html>
`

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
