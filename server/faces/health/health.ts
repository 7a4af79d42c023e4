import type { FastifyInstance } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import { ownPaths } from '../http/paths.ts'

export interface HealthServices {
  /** Whether the last step of the start is done. */
  isStarted: () => boolean
  askDatabase: () => Promise<unknown>
}

/** For load balancers: `healthz` says the process lives, `readyz` that it is wholly started and can answer requests now. */
export async function healthFace(app: FastifyInstance, services: HealthServices): Promise<void> {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    if (!services.isStarted())
      throw new DomainError('service_unavailable', 'This server is still starting. Ask again in a moment.')
    await services.askDatabase()
    return { status: 'ready' }
  })
  // Whoever asks for a name that others use must not take a page of the app for good health.
  ownPaths(app, ['/health', '/healthz', '/livez', '/ready', '/readyz'])
}
