import type { FastifyInstance } from 'fastify'

/** For load balancers: `healthz` says the process lives, `readyz` that it can answer requests now. */
export function healthFace(app: FastifyInstance, askDatabase: () => Promise<unknown>): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    await askDatabase()
    return { status: 'ready' }
  })
}
