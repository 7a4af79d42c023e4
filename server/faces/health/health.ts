import type { FastifyInstance } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import { ownPaths } from '../http/paths.ts'

export interface HealthServices {
  isReady: () => Promise<boolean>
}

/**
 * For load balancers and orchestrators: `healthz` says the process lives, `readyz` that it can take requests now. They
 * ask without a token and often over plain HTTP, so nothing else is said; the reason is in the log and on the
 * operator's port.
 */
export async function healthFace(app: FastifyInstance, { isReady }: HealthServices): Promise<void> {
  const probe = { config: { overPlainHttp: true } }
  app.get('/healthz', probe, async () => ({ status: 'ok' }))
  app.get('/readyz', probe, async () => {
    if (await isReady()) return { status: 'ready' }
    throw new DomainError('service_unavailable', 'This server is not ready. Ask again in a moment.')
  })
  // Probes for well-known names must not mistake a page of the app for a healthy answer.
  ownPaths(app, ['/health', '/healthz', '/livez', '/ready', '/readyz'])
}
