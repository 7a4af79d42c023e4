import { HeldFolder } from '../disk/held-folder.ts'
import type { Spec } from './spec.ts'

/** Puts the spec into a worktree exactly as it is: what else lies in its folder goes, and no link on the way is followed. */
export function placeSpec(worktree: string, folder: string, { files }: Pick<Spec, 'files'>): void {
  using held = HeldFolder.open(worktree)
  held.remove(folder)
  for (const [name, content] of files) held.write(`${folder}/${name}`, content, 0o644)
}
