import { realpath } from 'node:fs/promises'
import { isIP } from 'node:net'
import path from 'node:path'
import { type RemoteRepository, repositoryAddressIn, writtenAddress } from '@signalbox/contract/address.ts'
import { asksFor } from '@signalbox/contract/remedy.ts'
import { NotRead } from '../../domain/ports/history.ts'
import { isPublic } from '../../infra/http/public-address.ts'
import { allowList, everyAddress } from '../../infra/http/reach.ts'

export interface ReachOptions {
  /** Hosts, networks and folders that may be read from although they are not on the public internet. */
  allow: readonly string[]
  resolve?: (host: string) => Promise<string[]>
}

/** What git is told, so that it goes where was looked and nowhere else. */
export interface Way {
  /** Rebuilt from the parts that were checked: git never sees the address as typed. */
  address: string
  protocol: RemoteRepository['scheme'] | 'file'
  settings: string[]
  sshOptions: string[]
}

/**
 * Repositories are named by people of a workspace and read by a machine that can see more than they may: its own disk,
 * with the copies it keeps for other workspaces, and the network around it. So only public hosts are read from, and
 * what the operator allows. A host is looked up once; what the name server says a moment later does not matter.
 */
export function gitReach({
  allow,
  resolve = async (host) => (await everyAddress(host)).map(({ address }) => address),
}: ReachOptions): (url: string) => Promise<Way> {
  const folders = allow.filter((entry) => entry.startsWith('/'))
  const allowed = allowList(allow.filter((entry) => !entry.startsWith('/')))

  async function toFolder(folder: string): Promise<Way> {
    const real = await realpath(folder)
    for (const open of folders) {
      const inside = path.relative(await realpath(open), real)
      if (inside === '' || !/^\.\.(\/|$)/.test(inside))
        return { address: real, protocol: 'file', settings: [], sshOptions: [] }
    }
    throw new NotRead(`this server may not read its folder yet. ${asksFor('GIT_ALLOW', folder)}`)
  }

  return async (url) => {
    const parsed = repositoryAddressIn(url)
    if (!parsed)
      throw new NotRead(
        'its address can be read in more than one way. Write it plainly, without a user name.',
      )
    if (parsed.scheme === 'file') return toFolder(parsed.folder)
    const { host, scheme } = parsed
    const free = { address: writtenAddress(parsed), protocol: scheme, settings: [], sshOptions: [] }
    // A name that the operator gave may be one that only git or ssh know how to find.
    if (allowed.hasHost(host)) return free
    const addresses = isIP(host) ? [host] : await resolve(host)
    const isOpen = addresses.length > 0 && addresses.every(allowed.hasAddress)
    // It proves nothing, and nothing but its address holds it.
    if (scheme === 'git' && !isOpen)
      throw new NotRead(`the git protocol is not encrypted. Use https. ${asksFor('GIT_ALLOW', host)}`)
    if (addresses.length === 0 || !addresses.every((one) => isPublic(one) || allowed.hasAddress(one)))
      throw new NotRead(`${host} is not on the public internet. ${asksFor('GIT_ALLOW', host)}`)
    return isIP(host) ? free : { ...free, ...pinned(parsed, addresses) }
  }
}

function pinned(address: RemoteRepository, addresses: string[]): Partial<Way> {
  const { scheme, host, port } = address
  const first = addresses[0]!
  if (scheme === 'git') return { address: writtenAddress(address, first) }
  if (scheme === 'ssh') {
    // The key is still looked up under the name, which known_hosts writes with any port but 22.
    const known = port && port !== 22 ? `[${host}]:${port}` : host
    return { sshOptions: [`HostName=${first}`, `HostKeyAlias=${known}`] }
  }
  const to = addresses.map((one) => (isIP(one) === 6 ? `[${one}]` : one)).join(',')
  return { settings: [`http.curloptResolve=${host}:${port ?? (scheme === 'https' ? 443 : 80)}:${to}`] }
}
