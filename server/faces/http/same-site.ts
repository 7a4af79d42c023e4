import type { FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/errors.ts'

/**
 * A browser sends the cookie with requests from any site, so a write must come from our own pages. The browser
 * says where it comes from; what says nothing is no browser and has no business here.
 */
export function requireOwnPage(request: FastifyRequest, publicUrl: string): void {
  const { origin, host, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && site !== 'same-origin') throw refused()
  if (origin === undefined ? site === undefined : !isOurs(origin, host, publicUrl)) throw refused()
}

const isOurs = (origin: string, host: string | undefined, publicUrl: string) =>
  origin === originOf(publicUrl) || hostOf(origin) === host

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : null)
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : null)

const refused = () =>
  new DomainError('cross_site', 'This request did not come from Signalbox, so it was refused.')
