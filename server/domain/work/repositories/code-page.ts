import { trimEnd } from '@signalbox/contract/trim-end.ts'
import type { KnownHost } from '../../tools/connections/list-git-hosts.ts'

/** Where people look at the code of a repository. */
export interface CodePage {
  commit: (id: string) => string
  pullRequest: (number: number) => string
}

/** Known without a connection. */
const everyones: KnownHost[] = [
  { kind: 'github', web: 'https://github.com' },
  { kind: 'gitlab', web: 'https://gitlab.com' },
]

/** Where a repository is shown, from the address that git is given; null: its host is neither known nor connected. */
export function codePageOf(address: string, connected: readonly KnownHost[]): CodePage | null {
  const { host, path, isWeb } = partsOf(address) ?? {}
  if (!host || !path) return null
  for (const { kind, web } of [...connected, ...everyones]) {
    const at = URL.parse(web)
    if (!at || (isWeb ? at.host : at.hostname) !== host) continue
    // An installation may be below a path, which an address of the web has and one for SSH has not.
    const root = trimEnd(at.pathname, '/')
    if (isWeb && !path.startsWith(`${root}/`)) continue
    const page = `${at.origin}${root}${isWeb ? path.slice(root.length) : path}`
    return pages[kind](page)
  }
  return null
}

const pages: Record<KnownHost['kind'], (page: string) => CodePage> = {
  github: (page) => ({
    commit: (id) => `${page}/commit/${id}`,
    pullRequest: (number) => `${page}/pull/${number}`,
  }),
  gitlab: (page) => ({
    commit: (id) => `${page}/-/commit/${id}`,
    pullRequest: (number) => `${page}/-/merge_requests/${number}`,
  }),
}

/** `https://host/a/b.git`, `ssh://git@host/a/b.git` and `git@host:a/b.git`. Nothing that could leave a link is let in. */
function partsOf(address: string): { host: string; path: string; isWeb: boolean } | null {
  const short = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/.exec(address)
  const url = URL.parse(short ? `ssh://${short[1]}/${short[2]}` : address)
  if (!url || !/^(?:https?|ssh):$/.test(url.protocol)) return null
  const path = trimEnd(url.pathname, '/').replace(/\.git$/, '')
  const isWeb = url.protocol !== 'ssh:'
  return /^\/[\w.~/-]+$/.test(path) ? { host: isWeb ? url.host : url.hostname, path, isWeb } : null
}
