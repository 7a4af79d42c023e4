import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

export interface CookieServices {
  /** The first signs the session cookie, each of them is accepted. */
  cookieKeys: () => readonly string[]
  /** Whether the browser at the other end speaks https; only then does it keep a cookie that says so. */
  isHttps: (request: FastifyRequest) => boolean
}

/** Of the session's cookie; the sign-in library puts it before those of its own. */
export const cookieName = 'signalbox'

/** Binds a cookie to this host over https; on a plain loopback address browsers do not take it. */
const bound = '__Host-'

/** The session's token in a request's cookie, when its signature is ours. */
export const sessionToken = (services: CookieServices, request: FastifyRequest): string | null =>
  signedValue(ownCookies(services, request), cookieName, services.cookieKeys())

/** A request's cookies without the mark that binds them. Over https those that lack it are not ours. */
export function ownCookies({ isHttps }: CookieServices, request: FastifyRequest): string {
  const header = request.headers.cookie ?? ''
  if (!isHttps(request)) return header
  return header
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(bound))
    .map((cookie) => cookie.slice(bound.length))
    .join('; ')
}

/** A cookie as it is set in the answer to that request. */
export const boundCookie = (cookie: string, { isHttps }: CookieServices, request: FastifyRequest): string =>
  isHttps(request) ? `${bound}${cookie}; Secure` : cookie

/** What a cookie of that name holds, when its signature is ours. */
export const signedValue = (header: string, name: string, keys: readonly string[]): string | null =>
  valueSigned(cookies(header).get(name), keys)

function valueSigned(value: string | undefined, keys: readonly string[]): string | null {
  const end = value?.lastIndexOf('.') ?? -1
  if (value === undefined || end < 1) return null
  const token = value.slice(0, end)
  const given = Buffer.from(value.slice(end + 1), 'base64')
  const isOurs = keys.some((key) => {
    const expected = signatureOf(token, key)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isOurs ? token : null
}

/** Cookies for the sign-in library, which knows one key: what another of ours has signed is signed with that one. */
export function resigned(header: string, [current, ...others]: readonly string[]): string {
  if (others.length === 0) return header
  const signed = [...cookies(header)].map(([name, value]) => {
    const token = valueSigned(value, others)
    return `${name}=${token === null ? encodeURIComponent(value) : signedToken(token, current!)}`
  })
  return signed.join('; ')
}

/** A cookie's value as the sign-in library writes it: the token and its HMAC. */
export const signedToken = (token: string, key: string): string =>
  encodeURIComponent(`${token}.${signatureOf(token, key).toString('base64')}`)

const signatureOf = (token: string, key: string) => createHmac('sha256', key).update(token).digest()

function cookies(header: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const part of header.split(';')) {
    const [name, ...rest] = part.trim().split('=')
    if (!name || found.has(name)) continue
    found.set(name, decoded(rest.join('=')))
  }
  return found
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return ''
  }
}
