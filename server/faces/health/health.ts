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
  const probe = { config: { overPlainHttp: true, isProbe: true } }
  app.get('/healthz', probe, async (request) => {
    request.operation = 'checkHealth'
    return { status: 'ok' }
  })
  app.get('/readyz', probe, async (request) => {
    request.operation = 'checkReadiness'
    if (await isReady()) return { status: 'ready' }
    throw new DomainError('service_unavailable', 'This server is not ready. Try again in a moment.')
  })
  // Probes for well-known names must not mistake a page of the app for a healthy answer.
  ownPaths(app, ['/health', '/healthz', '/livez', '/ready', '/readyz'])
}
