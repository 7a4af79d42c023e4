import { existsSync, readFileSync, statfsSync } from 'node:fs'
import path from 'node:path'
import { createSecureContext } from 'node:tls'
import proxyAddr from '@fastify/proxy-addr'

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

/** By what statfs calls them. Node never returns from making a folder below the first. */
const kernelFileSystems = new Map([
  [0x9fa0, 'proc'],
  [0x62656572, 'sysfs'],
])

export function whatIsWrongWithDataDir(folder: string): string[] {
  let existing = path.resolve(folder)
  while (!existsSync(existing) && existing !== path.dirname(existing)) existing = path.dirname(existing)
  const kind = kernelFileSystems.get(statfsSync(existing).type)
  return kind
    ? [`DATA_DIR ${folder} is in ${kind}, which holds no files of its own. Set it to a folder on a disk.`]
    : []
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
  return [...unknown, ...files]
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
