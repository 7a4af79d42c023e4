import type { FastifyInstance } from 'fastify'
import { createHttp } from '../faces/http/http.ts'
import { traceRequests } from '../infra/http/request-spans.ts'
import { originOf, sharesPorts } from '../infra/http/server.ts'
import type { Admission } from './admission.ts'
import { orNameSetting, publicSettings } from './explain-listen-error.ts'
import type { Base, Part } from './parts.ts'

export interface Http extends Part {
  app: FastifyInstance
  /** Where people and programs reach the server. Without a configured address it is known once the server listens. */
  publicUrl(): string
  /** Where alerting tools reach it. */
  signalUrl(): string
  /** Whether a caller speaks https: here, at a proxy that says so, or at the configured address. */
  isHttps(request: { protocol: string }): boolean
  listen(): Promise<unknown>
  /** From here on each connection that is kept open is told that this answer is its last. */
  lastAnswers(): void
}

/** The server that the faces are plugins of. It listens once they are. */
export function createServer(
  { config, log, metrics, telemetry }: Base,
  { strangers }: Admission,
  /** That other processes of this server listen on as well. */
  sharedPort?: number,
): Http {
  const { tls, trustProxy, host } = config
  const where = sharedPort ? { port: sharedPort, reusePort: sharesPorts } : { port: config.port }
  const isPublicHttps = config.publicUrl?.startsWith('https:') ?? false
  const isHttps = ({ protocol }: { protocol: string }) => isPublicHttps || protocol === 'https'
  const app = createHttp({ log, metrics, strangers, tls, trustProxy, isHttps })
  const publicUrl = () => config.publicUrl ?? originOf(app)
  const signalUrl = () => config.signalUrl ?? `${publicUrl()}/signals`
  let isTraced = false
  const listen = async () => {
    // Faces take requests before Fastify does; the span is around all of them.
    if (telemetry && !isTraced) {
      await app.ready()
      traceRequests(app, telemetry)
      isTraced = true
    }
    return app.listen({ ...where, host })
  }
  return {
    app,
    publicUrl,
    signalUrl,
    isHttps,
    listen: () => orNameSetting({ ...where, host }, publicSettings, listen),
    lastAnswers: () => app.lastAnswers(),
    stop: () => app.close(),
  }
}
