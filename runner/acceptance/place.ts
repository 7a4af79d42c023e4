import { lstat, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Spec } from './spec.ts'

/** Puts the spec into a worktree exactly as it is: what else lies in its folder goes, and no link on the way is followed. */
export async function placeSpec(
  worktree: string,
  folder: string,
  { files }: Pick<Spec, 'files'>,
): Promise<void> {
  const parts = folder.split('/')
  await solidFolder(worktree, parts.slice(0, -1))
  await rm(path.join(worktree, folder), { recursive: true, force: true })
  for (const [name, content] of files) {
    const at = [...parts, ...name.split('/')]
    await solidFolder(worktree, at.slice(0, -1))
    await writeFile(path.join(worktree, ...at), content, { flag: 'wx', mode: 0o644 })
  }
}

/** Folders all the way: whatever else stands there is put aside. */
async function solidFolder(root: string, parts: string[]): Promise<void> {
  for (let at = 1; at <= parts.length; at += 1) {
    const folder = path.join(root, ...parts.slice(0, at))
    const found = await lstat(folder).catch(() => null)
    if (found?.isDirectory()) continue
    if (found) await rm(folder)
    await mkdir(folder)
  }
}
