import path from 'node:path'
import { repositoryAddressIn } from '@signalbox/contract/address.ts'
import type { RunnerGit } from '@signalbox/contract/runner/messages.ts'

/**
 * Whether a runner can read a repository, as far as it says: a folder has to be in one that its operator allows; what is
 * on a git host it reads through the server. Null: it does not say.
 */
export function canReadRepository(git: RunnerGit | null, address: string): boolean | null {
  if (!git) return null
  if (git.version === null) return false
  const where = repositoryAddressIn(address)
  if (where?.scheme !== 'file') return true
  return git.folders.some(({ path: folder, isReadable }) => isReadable && isWithin(folder, where.folder))
}

function isWithin(folder: string, file: string): boolean {
  const inside = path.posix.relative(folder, file)
  return inside === '' || !/^\.\.(\/|$)/.test(inside)
}
