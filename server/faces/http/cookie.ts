import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** `__Host-` binds a cookie to this host over https; on a plain loopback address browsers do not take it. */
export const sessionCookieName = (isHttps: boolean) => (isHttps ? '__Host-signalbox' : 'signalbox')

/** The session's token in a request's cookie, when its signature is ours. */
export const sessionToken = (headers: IncomingHttpHeaders, key: string, isHttps: boolean): string | null =>
  signedValue(headers, sessionCookieName(isHttps), key)

/** What a cookie of that name holds, when its signature is ours. */
export function signedValue(headers: IncomingHttpHeaders, name: string, key: string): string | null {
  const value = cookies(headers.cookie ?? '').get(name)
  const end = value?.lastIndexOf('.') ?? -1
  if (value === undefined || end < 1) return null
  const token = value.slice(0, end)
  const given = Buffer.from(value.slice(end + 1), 'base64')
  const expected = signatureOf(token, key)
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null
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
