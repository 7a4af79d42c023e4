import type { FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/errors.ts'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * A page on the internet can make a browser send requests to an address of its own choice, also to this machine: such
 * a request names a host that is not ours, or an origin that is not. Programs send no origin.
 */
export function refuseForeignHost(request: FastifyRequest, publicUrl: string): void {
  const host = hostnameOf(`http://${request.host}`)
  const ours = new URL(publicUrl)
  if (host === null || (host !== ours.hostname && !loopback.has(host)))
    throw refused(`${request.host.slice(0, 100)} is not an address of this server. Use ${ours.origin}/mcp.`)
  const { origin } = request.headers
  if (origin === undefined || origin === ours.origin) return
  // Tools that people run on their own machine have pages there.
  if (loopback.has(host) && loopback.has(hostnameOf(origin) ?? '')) return
  throw refused('Pages of other sites cannot use the MCP server.')
}

const hostnameOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : null)

const refused = (message: string) => new DomainError('cross_site', message)
