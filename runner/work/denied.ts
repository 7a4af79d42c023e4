import { acceptanceSpec, coveredBy } from '@signalbox/contract/denied-paths.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import { HeldFolder } from '../disk/held-folder.ts'
import { WorkFailed } from '../orders/order-context.ts'

const mostMounts = 500

/**
 * What of a worktree is shown to the agent and cannot be changed. Globs cannot be mounted: folders that are denied as a
 * whole are, and single files that exist now; new names are found by the diff guard.
 */
export function deniedIn(
  worktree: string,
  { policy, exceptions }: Pick<Order, 'policy' | 'exceptions'>,
  files: readonly string[],
): string[] {
  using held = withSpecFolder(worktree)
  const globs = [acceptanceSpec, ...policy.deniedPaths]
  // No exception can allow a change of the acceptance spec.
  const allowed = exceptions.filter((path) => coveredBy([path], [acceptanceSpec]).length === 0)
  const folders = globs
    .map((glob) => /^([^*?]+)\/\*\*$/.exec(glob)?.[1])
    .filter((folder) => folder !== undefined)
    .filter((folder) => held.kind(folder) === 'folder')
    .filter((folder) => !allowed.some((path) => path === folder || path.startsWith(`${folder}/`)))
  const single = coveredBy(files, globs).filter(
    (file) => !allowed.includes(file) && !folders.some((folder) => file.startsWith(`${folder}/`)),
  )
  return [...new Set([...folders, ...single])].slice(0, mostMounts)
}

/** The folders and files at the top of a worktree, which hold all the others. */
export function topOf(worktree: string, files: readonly string[]): string[] {
  using _held = withSpecFolder(worktree)
  return [...new Set(['.kanman', ...files.map((file) => file.split('/')[0]!)])].slice(0, mostMounts)
}

/** Created up front, so that the agent cannot create it. */
function withSpecFolder(worktree: string): HeldFolder {
  const held = HeldFolder.open(worktree)
  for (const folder of ['.kanman', '.kanman/acceptance']) {
    const kind = held.kind(folder)
    if (kind === 'folder' || kind === null) continue
    held[Symbol.dispose]()
    throw new WorkFailed(
      `${folder} is a ${kind} in this repository. Make it a folder: the acceptance spec cannot be protected behind anything else.`,
      'persistent',
    )
  }
  held.makeFolder('.kanman/acceptance')
  return held
}
