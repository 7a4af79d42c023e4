import type { FastifyInstance } from 'fastify'
import { ownPaths } from '../http/paths.ts'

export interface HealthServices {
  askDatabase: () => Promise<unknown>
}

/** For load balancers: `healthz` says the process lives, `readyz` that it can answer requests now. */
export async function healthFace(app: FastifyInstance, { askDatabase }: HealthServices): Promise<void> {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    await askDatabase()
    return { status: 'ready' }
  })
  // Whoever asks for a name that others use must not take a page of the app for good health.
  ownPaths(app, ['/health', '/healthz', '/livez', '/ready', '/readyz'])
}
