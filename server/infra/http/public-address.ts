import { BlockList, isIP } from 'node:net'

/** Networks of IPv4 that are not the public internet, or lead into one that is not (RFC 6890 and its updates). */
const notPublic4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by a carrier's customers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and the metadata of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocols
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // measurements
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]

/**
 * Of IPv6 only 2000::/3 is public. That leaves out loopback, unique local, link-local and multicast addresses, and
 * every form that carries an address of IPv4 (mapped, compatible, NAT64); these are the exceptions within.
 */
const public6 = '2000::/3'
const notPublic6 = [
  '2001::/23', // protocols, and Teredo, which carries IPv4
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which carries IPv4
  '3fff::/20', // documentation
]

/** A set of networks and single addresses; written as 10.0.0.0/8, fd00::/8 or 127.0.0.1. */
export function networks(written: readonly string[]): { has(address: string): boolean } {
  const list = new BlockList()
  for (const entry of written) {
    const [address, prefix] = entry.split('/') as [string, string?]
    const family = familyOf(address)
    if (family === null) throw new TypeError(`${entry} is not a network.`)
    list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return {
    has(address) {
      const family = familyOf(address)
      return family !== null && list.check(address, family)
    },
  }
}

const refused4 = networks(notPublic4)
const refused6 = networks(notPublic6)
const allowed6 = networks([public6])

/** Whether an address is one of the public internet. What is no address is none. */
export function isPublic(address: string): boolean {
  const family = familyOf(address)
  if (family === 'ipv4') return !refused4.has(address)
  return family === 'ipv6' && allowed6.has(address) && !refused6.has(address)
}

/** An address with a zone (fe80::1%eth0) is only good on this machine's links. */
function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  if (address.includes('%')) return null
  return ({ 4: 'ipv4', 6: 'ipv6' } as const)[isIP(address)] ?? null
}
