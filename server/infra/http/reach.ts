import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublic, networks } from './public-address.ts'

export interface Address {
  address: string
  family: number
}

export type Resolve = (host: string) => Promise<Address[]>

/** What an operator opens although it is not on the public internet: hosts by name, networks, single addresses. */
export function allowList(entries: readonly string[]) {
  const isAddress = (entry: string) => isIP(entry.split('/')[0]!) > 0
  const opened = networks(entries.filter(isAddress))
  const hosts = new Set(entries.filter((entry) => !isAddress(entry)))
  return {
    hasHost: (host: string): boolean => hosts.has(host),
    hasAddress: (address: string): boolean => opened.has(address),
  }
}

/** As the address has it once it is parsed: 127.0.0.1 for each of its spellings, no brackets, no dot at the end. */
export const hostOf = ({ hostname }: URL): string =>
  hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()

/** A host is refused when it has no address, or one that may not be reached. */
export type Reached = Address[] | 'no address' | 'not public'

/**
 * For addresses that people of a workspace chose, on a machine that can see more than they may: resolves the host, once,
 * and insists that each address it has may be reached. The call then goes to just these addresses; what the name server
 * says a moment later does not matter.
 */
export function guard(allow: readonly string[], resolve: Resolve = everyAddress) {
  const allowed = allowList(allow)
  return async (url: URL): Promise<Reached> => {
    const host = hostOf(url)
    const family = isIP(host)
    const addresses = family ? [{ address: host, family }] : await resolve(host)
    if (addresses.length === 0) return 'no address'
    // Of some hosts one port alone is opened.
    const isOpened = allowed.hasHost(host) || allowed.hasHost(`${host}:${url.port}`)
    const mayReach = ({ address }: Address) => isOpened || allowed.hasAddress(address) || isPublic(address)
    return addresses.every(mayReach) ? addresses : 'not public'
  }
}

export const everyAddress: Resolve = (host) => lookup(host, { all: true })
