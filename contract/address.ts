/**
 * Addresses that others give us are read by several parsers: this one, curl's, those of ssh and of browsers. They agree
 * on plain ones alone, and an address that two of them read differently leads where no check has looked. So whatever
 * does not come out of parsing as it went in is refused.
 */

/** A name or an IP address: no digits in another base, no letters beyond ASCII, no dot at the end. */
const host = String.raw`[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:]+\]`
const web = new RegExp(String.raw`^(https?):\/\/((?:${host})(?::\d{1,5})?)(?=\/|$)[^\\\p{Cc}]*$`, 'iu')
const repository = new RegExp(
  String.raw`^(https?|ssh|git):\/\/(?:(\w[\w.-]*)@)?(${host})(?::([1-9]\d{0,4}))?(\/[!-~]+)$`,
  'i',
)
const scpLike = new RegExp(String.raw`^(\w[\w.-]*)@(${host}):((?!\/\/)[\w~./][!-~]*)$`, 'i')

/** A web address in which every parser finds the same host; null for anything else, and for one with a user name. */
export function webAddressIn(text: string): URL | null {
  const [, scheme, authority] = web.exec(text) ?? []
  const url = URL.parse(text)
  if (!url || !scheme || !authority || /\s$/.test(text)) return null
  const defaultPort = scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/
  return authority.toLowerCase().replace(defaultPort, '') === url.host ? url : null
}

/** Where a repository is: on a host, or in a folder of the server. */
export type RepositoryAddress = RemoteRepository | { scheme: 'file'; folder: string }

export interface RemoteRepository {
  scheme: 'http' | 'https' | 'ssh' | 'git'
  user: string | null
  /** An IPv6 address has no brackets here. */
  host: string
  port: number | null
  path: string
  /** git@host:path, whose path begins in the user's home. */
  isScpLike: boolean
}

export function repositoryAddressIn(text: string): RepositoryAddress | null {
  if (/[\\\p{Cc}]/u.test(text)) return null
  if (text.startsWith('/')) return { scheme: 'file', folder: text }
  if (/^file:\/\/\//i.test(text)) return folderIn(text)
  const [, user = null, scpHost, scpPath] = scpLike.exec(text) ?? []
  if (scpHost && scpPath)
    return remote({ scheme: 'ssh', user, host: scpHost, port: null, path: scpPath, isScpLike: true })
  const [, scheme, name = null, host, port, path] = repository.exec(text) ?? []
  if (!scheme || !host || !path || URL.parse(`http://host${path}`)?.pathname !== path) return null
  return remote({
    scheme: scheme.toLowerCase() as RemoteRepository['scheme'],
    user: name,
    host,
    port: port ? Number(port) : null,
    path,
    isScpLike: false,
  })
}

function remote(found: RemoteRepository): RemoteRepository | null {
  const host = found.host.toLowerCase()
  if (found.user !== null && found.scheme !== 'ssh') return null
  if ((found.port ?? 0) > 65_535 || URL.parse(`http://${host}/`)?.hostname !== host) return null
  return { ...found, host: host.replace(/^\[|\]$/g, '') }
}

function folderIn(text: string): RepositoryAddress | null {
  try {
    const folder = decodeURIComponent(text.slice('file://'.length))
    return /[\\\p{Cc}?#]/u.test(folder) ? null : { scheme: 'file', folder }
  } catch {
    return null
  }
}

/** The same address, written from its parts alone; optionally with another host. */
export function writtenAddress(address: RemoteRepository, at: string = address.host): string {
  const { scheme, user, port, path, isScpLike } = address
  const host = at.includes(':') ? `[${at}]` : at
  const login = user === null ? host : `${user}@${host}`
  return isScpLike ? `${login}:${path}` : `${scheme}://${login}${port ? `:${port}` : ''}${path}`
}
