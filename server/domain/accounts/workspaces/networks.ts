import { BlockList, isIP } from 'node:net'
import { DomainError } from '../../errors.ts'

const families = new Map([
  [4, { name: 'ipv4', bits: 32 }],
  [6, { name: 'ipv6', bits: 128 }],
] as const)

/** A network or a single address, as 203.0.113.0/24 or 2001:db8::7; null for what is neither. */
function parsed(written: string) {
  const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(written) ?? []
  const family = families.get(isIP(address) as 4)
  // Clients of IPv4 are known by their plain address, whichever socket they come through.
  if (!family || (family.bits === 128 && address.includes('.'))) return null
  const length = Number(prefix ?? family.bits)
  return length > family.bits ? null : { address, length, family: family.name }
}

/** The list as it is stored; refuses what is not a network. */
export function networksIn(written: readonly string[]): string[] {
  const all = written.map((one) => one.trim()).filter((one) => one !== '')
  const wrong = all.find((one) => parsed(one) === null)
  if (wrong === undefined) return [...new Set(all)]
  throw new DomainError(
    'invalid_request',
    `\`${wrong}\` is not a network. Use an address or CIDR notation, such as 203.0.113.0/24 or 2001:db8::/32.`,
  )
}

const lists = new WeakMap<readonly string[], BlockList>()

/** Whether an address is in one of the networks; where there is none, every address is. */
export function isAllowed(networks: readonly string[], address: string): boolean {
  if (networks.length === 0) return true
  const family = families.get(isIP(address) as 4)
  return family !== undefined && listOf(networks).check(address, family.name)
}

function listOf(networks: readonly string[]): BlockList {
  const known = lists.get(networks)
  if (known) return known
  const list = new BlockList()
  for (const one of networks) {
    const { address, length, family } = parsed(one)!
    list.addSubnet(address, length, family)
  }
  lists.set(networks, list)
  return list
}

/** Refuses who comes from elsewhere. */
export function requireAllowed(networks: readonly string[], address: string): void {
  if (isAllowed(networks, address)) return
  throw new DomainError(
    'address_not_allowed',
    `This workspace cannot be used from ${address}. Ask one of its owners or admins to add the address to the allowed networks.`,
  )
}
