import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createHttp } from '../faces/http/http.ts'
import { originOf } from '../infra/http/server.ts'
import type { Admission } from './admission.ts'
import type { Base, Part } from './parts.ts'

export interface Http extends Part {
  app: FastifyInstance
  /** Where people and programs reach the server. Without a configured address it is known once the server listens. */
  publicUrl(): string
  /** Where alerting tools reach it. */
  signalUrl(): string
  /** Whether whoever asks does so over https: here, at a proxy that says so, or at the configured address. */
  isHttps(request: FastifyRequest): boolean
  listen(): Promise<unknown>
}

/** The server that the faces are plugins of. It listens once they are. */
export function createServer({ config, log, metrics }: Base, { strangers }: Admission): Http {
  const { tls, trustProxy, port, host } = config
  const isPublicHttps = config.publicUrl?.startsWith('https:') ?? false
  const isHttps = (request: FastifyRequest) => isPublicHttps || request.protocol === 'https'
  const app = createHttp({ log, metrics, strangers, tls, trustProxy, isHttps })
  const publicUrl = () => config.publicUrl ?? originOf(app)
  const signalUrl = () => config.signalUrl ?? `${publicUrl()}/signals`
  return {
    app,
    publicUrl,
    signalUrl,
    isHttps,
    listen: () => app.listen({ port, host }),
    stop: () => app.close(),
  }
}
