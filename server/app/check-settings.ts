import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import proxyAddr from '@fastify/proxy-addr'
import { whyNoFolder, whyNotWritable } from '@signalbox/contract/folders.ts'

/** What a setting must be beyond its form. Each says what is wrong with it in a sentence, or nothing; none writes. */

export function whatIsWrongWithProxies(entries: string[]): string[] {
  return entries
    .filter((entry) => !isProxy(entry))
    .map(
      (entry) =>
        `TRUST_PROXY must be addresses or networks, comma-separated, as in 10.0.0.5,10.1.0.0/16; "${entry}" is neither.`,
    )
}

function isProxy(entry: string): boolean {
  // The library takes a number for an address: 1 for 0.0.0.1, which other programs take for a number of proxies.
  if (/^\d+$/.test(entry)) return false
  try {
    proxyAddr.compile(entry)
    return true
  } catch {
    return false
  }
}

export function whatIsWrongWithTls(cert: string, key: string): string[] {
  const refusal = (options: { cert?: string; key?: string }) => {
    try {
      createSecureContext(options)
      return null
    } catch (error) {
      return error as Error & { code?: string }
    }
  }
  if (refusal({ cert }))
    return ['TLS_CERT must be a PEM file with a certificate (-----BEGIN CERTIFICATE-----).']
  if (refusal({ key }))
    return [
      'TLS_KEY must be a PEM file with a private key that has no passphrase (-----BEGIN PRIVATE KEY-----).',
    ]
  return refusal({ cert, key }) ? ['TLS_CERT and TLS_KEY do not belong together.'] : []
}

/** A folder that need not be there yet. */
export function whatIsWrongWithFolder(name: string, folder: string): string[] {
  const why = whyNoFolder(folder)
  return why === null ? [] : [`${name} ${folder} ${why}. Set ${name} to a folder on a disk.`]
}

/** The same for a process that is going to write there. */
export function whatForbidsWriting(name: string, folder: string): string[] {
  const why = whyNotWritable(folder)
  return why === null
    ? []
    : [`${name} ${folder} ${why}. Give this account the right to, or set ${name} to another folder.`]
}

/** `user@/database?host=/run/postgresql` is how PostgreSQL's own programs take a socket; an address names a host. */
export const namingHost = (address: string | null): string | null =>
  address?.replace(/^(postgres(?:ql)?:\/\/[^/?]*@)(?=[/:])/, '$1localhost') ?? null

const sslModes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']

export function whatIsWrongWithDatabaseUrl(name: string, address: string): string[] {
  const asked = new URL(address).searchParams
  const mode = asked.get('sslmode')
  const unknown =
    mode !== null && !sslModes.includes(mode)
      ? [`${name}: sslmode must be one of ${sslModes.join(', ')}, not "${mode}".`]
      : []
  const files = ['sslrootcert', 'sslcert', 'sslkey'].flatMap((parameter) => {
    const file = asked.get(parameter)
    const why = file === null ? null : whyUnreadable(file)
    return why ? [`${name}: the file ${file} of ${parameter} cannot be read (${why}).`] : []
  })
  const port = asked.get('port')
  const wrongPort =
    port !== null && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)
      ? [`${name}: port must be a number up to 65535, not "${port}".`]
      : []
  return [...unknown, ...wrongPort, ...files]
}

function whyUnreadable(file: string): string | null {
  try {
    readFileSync(file)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

/**
 * The driver verifies the server's certificate and name in each of these modes, and warns of a version of its own that
 * will not. Saying so keeps it as it is, and quiet.
 */
export function withVerifiedTls(address: string): string {
  const url = new URL(address)
  if (!['prefer', 'require', 'verify-ca'].includes(url.searchParams.get('sslmode') ?? '')) return address
  url.searchParams.set('sslmode', 'verify-full')
  return url.href
}
