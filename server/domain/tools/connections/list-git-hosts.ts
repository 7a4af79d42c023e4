import { githubWeb } from '@signalbox/contract/github-web.ts'
import type { Db, Tx } from '../../../infra/db/db.ts'
import { selectGitHosts } from './store.ts'

/** A host whose pages are known: which kind it is, and the address that people open. */
export interface KnownHost {
  kind: 'github' | 'gitlab'
  web: string
}

/** The git hosts that a workspace is connected to. */
export async function listGitHosts(db: Db | Tx, workspaceId: string): Promise<KnownHost[]> {
  const found = await selectGitHosts(db, workspaceId)
  return found.map(({ kind, baseUrl }) =>
    kind === 'github' ? { kind, web: githubWeb(baseUrl) } : { kind: 'gitlab', web: baseUrl },
  )
}
