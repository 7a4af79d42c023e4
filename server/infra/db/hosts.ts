const parts = /^(\w+:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s

/** Each host that an address names, as an address of its own: `postgres://user@one,two:5433/name` names two. */
export function eachHost(address: string): string[] {
  const [, before = '', hosts = '', after = ''] = parts.exec(address) ?? []
  return hosts.includes(',') ? hosts.split(',').map((host) => before + host + after) : [address]
}

/** The other way round, of addresses that differ in nothing but their host. */
export function withAllHosts(addresses: string[]): string {
  const [first] = addresses
  const hosts = addresses.map((address) => parts.exec(address)?.[2]).join(',')
  return addresses.length === 1 ? first! : first!.replace(parts, `$1${hosts}$3`)
}
