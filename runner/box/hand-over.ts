import { closeSync, constants, fstatSync, lchownSync, lstatSync, openSync, readdirSync } from 'node:fs'
import type { Limits } from './box.ts'
import type { Owner } from './owner.ts'

/**
 * What a box may write to has to belong to the account inside it. Only root hands over; everyone else owns it already.
 * Another box may be at work in the same place and exchange a folder for a link while we walk: each folder is opened as
 * itself, and what is in it is reached through that handle, so that nothing outside of the tree changes hands.
 */
export function handOver(
  owner: Owner,
  { worktree, home, out, writable = [], beside = [], gateway, proxy, isWorktreeOwned }: Limits,
): void {
  const folders = [
    ...(isWorktreeOwned ? [] : [worktree]),
    ...[home, ...(out === null ? [] : [out]), ...writable, ...beside.map(({ folder }) => folder)],
  ]
  for (const folder of folders) giveTree(owner, folder)
  // Only its owner may speak through a socket.
  for (const socket of [gateway, proxy]) if (socket) give(owner, socket)
}

const asFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Deeper than any project; a handle is held for each folder above. */
const deepest = 500

/** A folder and everything in it. What is gone by then, or no longer a folder, is skipped. */
export function giveTree(owner: Owner, folder: string, depth = 0): void {
  if (depth > deepest) return
  let handle: number
  try {
    handle = openSync(folder, asFolder)
  } catch {
    return
  }
  try {
    const here = `/proc/self/fd/${handle}`
    for (const entry of readdirSync(here, { withFileTypes: true })) {
      const file = `${here}/${entry.name}`
      if (entry.isDirectory()) giveTree(owner, file, depth + 1)
      else give(owner, file)
    }
    // Last: until then the new owner cannot put anything in.
    const { uid, gid } = fstatSync(handle)
    if (uid !== owner.uid || gid !== owner.gid) lchownSync(`${here}/.`, owner.uid, owner.gid)
  } finally {
    closeSync(handle)
  }
}

/**
 * A file with a second name may be someone else's by that name, as an object of the store is. It can be read as it is.
 */
function give(owner: Owner, file: string): void {
  try {
    const { uid, gid, nlink } = lstatSync(file)
    if ((uid === owner.uid && gid === owner.gid) || nlink > 1) return
    lchownSync(file, owner.uid, owner.gid)
  } catch {
    // Gone by then.
  }
}
