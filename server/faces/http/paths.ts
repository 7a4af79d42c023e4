import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { DomainError } from '../../domain/errors.ts'

export const noSuchPath = () =>
  new DomainError('not_found', 'There is no such path. The API is described at /v1/openapi.json.')

/**
 * Gives a face everything under these prefixes: what none of its routes takes is answered by the face, too, and is no
 * page of the web app. It is answered before the body is read: whatever it holds, it is not processed.
 */
export function ownPaths(
  app: FastifyInstance,
  prefixes: string[],
  hook: onRequestHookHandler = (_, __, done) => done(noSuchPath()),
): void {
  for (const prefix of prefixes)
    app.register(
      (under, _, done) => {
        under.addHook('onRequest', hook)
        under.setNotFoundHandler(() => {})
        done()
      },
      { prefix },
    )
}
