import { realpath } from 'node:fs/promises'
import { isIP } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { NotRead } from '../../domain/ports/history.ts'
import { isPublic } from '../../infra/http/public-address.ts'
import { allowList, everyAddress, hostOf } from '../../infra/http/reach.ts'

export interface ReachOptions {
  /** Hosts, networks and folders that may be read from although they are not on the public internet. */
  allow: readonly string[]
  resolve?: (host: string) => Promise<string[]>
}

/**
 * Repositories are named by people of a workspace and read by a machine that can see more than they may: its own disk,
 * with the copies it keeps for other workspaces, and the network around it. So only public hosts are read from, and
 * what the operator allows. Returns settings that hold git to what was looked at, or throws.
 */
export function gitReach({
  allow,
  resolve = async (host) => (await everyAddress(host)).map(({ address }) => address),
}: ReachOptions): (url: string) => Promise<string[]> {
  const folders = allow.filter((entry) => entry.startsWith('/'))
  const allowed = allowList(allow.filter((entry) => !entry.startsWith('/')))

  async function readFolder(folder: string): Promise<string[]> {
    const real = await realpath(folder)
    for (const open of folders) {
      const inside = path.relative(await realpath(open), real)
      if (inside === '' || !/^\.\.(\/|$)/.test(inside)) return []
    }
    throw new NotRead('it is a folder of the server, which GIT_ALLOW does not name')
  }

  return async (url) => {
    if (url.startsWith('/')) return readFolder(url)
    const [, scpHost] = /^[\w.-]+@([\w.-]+):/.exec(url) ?? []
    const parsed = new URL(scpHost ? `ssh://${scpHost}` : url)
    const { protocol, hostname, port } = parsed
    if (protocol === 'file:') return readFolder(fileURLToPath(url))
    const host = hostOf(parsed)
    if (allowed.hasHost(host)) return []
    const addresses = isIP(host) ? [host] : await resolve(host)
    if (addresses.length > 0 && addresses.every(allowed.hasAddress)) return []
    // Nothing holds git's own protocol to an address, and it proves nothing either.
    if (protocol === 'git:')
      throw new NotRead('the protocol git is spoken only with hosts that GIT_ALLOW names')
    if (addresses.length === 0 || !addresses.every((one) => isPublic(one) || allowed.hasAddress(one)))
      throw new NotRead(
        `${host} is not on the public internet; whoever runs this server can allow it with GIT_ALLOW`,
      )
    if (protocol === 'ssh:') return []
    // What the name server says a moment later does not matter.
    const to = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address)).join(',')
    return [`http.curloptResolve=${hostname}:${port || (protocol === 'https:' ? 443 : 80)}:${to}`]
  }
}
