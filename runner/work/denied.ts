import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { acceptanceSpec, coveredBy } from '@signalbox/contract/denied-paths.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'

const mostMounts = 500

/**
 * What of a worktree is shown to the agent and cannot be changed. Globs cannot be mounted: folders that are denied as a
 * whole are, and single files that exist now; new names are found by the diff guard.
 */
export async function deniedIn(
  worktree: string,
  { policy, exceptions }: Pick<Order, 'policy' | 'exceptions'>,
  files: readonly string[],
): Promise<string[]> {
  // There from the beginning, so that nobody else can make it.
  await mkdir(path.join(worktree, '.kanman', 'acceptance'), { recursive: true })
  const globs = [acceptanceSpec, ...policy.deniedPaths]
  // The acceptance spec is nobody's to allow.
  const allowed = exceptions.filter((path) => coveredBy([path], [acceptanceSpec]).length === 0)
  const folders = globs
    .map((glob) => /^([^*?]+)\/\*\*$/.exec(glob)?.[1])
    .filter((folder) => folder !== undefined)
    .filter((folder) => existsSync(path.join(worktree, folder)))
    .filter((folder) => !allowed.some((path) => path === folder || path.startsWith(`${folder}/`)))
  const single = coveredBy(files, globs).filter(
    (file) => !allowed.includes(file) && !folders.some((folder) => file.startsWith(`${folder}/`)),
  )
  return [...new Set([...folders, ...single])].slice(0, mostMounts)
}

/** The folders and files at the top of a worktree, which hold all the others. */
export async function topOf(worktree: string, files: readonly string[]): Promise<string[]> {
  await mkdir(path.join(worktree, '.kanman', 'acceptance'), { recursive: true })
  return [...new Set(['.kanman', ...files.map((file) => file.split('/')[0]!)])].slice(0, mostMounts)
}
