import { lookup } from 'node:dns/promises'
import { realpath } from 'node:fs/promises'
import { isIP } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { NotRead } from '../../domain/ports/history.ts'
import { isPublic, networks } from '../../infra/http/public-address.ts'

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
  resolve = everyAddress,
}: ReachOptions): (url: string) => Promise<string[]> {
  const isAddress = (entry: string) => isIP(entry.split('/')[0]!) > 0
  const folders = allow.filter((entry) => entry.startsWith('/'))
  const allowedNetworks = networks(allow.filter(isAddress))
  const allowedHosts = new Set(allow.filter((entry) => !isAddress(entry) && !entry.startsWith('/')))

  async function readFolder(folder: string): Promise<string[]> {
    const real = await realpath(folder)
    for (const allowed of folders) {
      const inside = path.relative(await realpath(allowed), real)
      if (inside === '' || !/^\.\.(\/|$)/.test(inside)) return []
    }
    throw new NotRead('it is a folder of the server, which GIT_ALLOW does not name')
  }

  return async (url) => {
    if (url.startsWith('/')) return readFolder(url)
    const [, scpHost] = /^[\w.-]+@([\w.-]+):/.exec(url) ?? []
    const { protocol, hostname, port } = new URL(scpHost ? `ssh://${scpHost}` : url)
    if (protocol === 'file:') return readFolder(fileURLToPath(url))
    const host = hostname
      .replace(/^\[|\]$/g, '')
      .replace(/\.$/, '')
      .toLowerCase()
    if (allowedHosts.has(host)) return []
    const addresses = isIP(host) ? [host] : await resolve(host)
    if (addresses.length > 0 && addresses.every((address) => allowedNetworks.has(address))) return []
    // Nothing holds git's own protocol to an address, and it proves nothing either.
    if (protocol === 'git:')
      throw new NotRead('the protocol git is spoken only with hosts that GIT_ALLOW names')
    if (addresses.length === 0 || !addresses.every((one) => isPublic(one) || allowedNetworks.has(one)))
      throw new NotRead(
        `${host} is not on the public internet; whoever runs this server can allow it with GIT_ALLOW`,
      )
    if (protocol === 'ssh:') return []
    // What the name server says a moment later does not matter.
    const to = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address)).join(',')
    return [`http.curloptResolve=${hostname}:${port || (protocol === 'https:' ? 443 : 80)}:${to}`]
  }
}

const everyAddress = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address)
