import { accessSync, constants, lstatSync, realpathSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { dictionary } from './dictionary.ts'

/** By what statfs calls them. Node never returns from making a folder below the first. */
const kernelFileSystems = new Map([
  [0x9fa0, 'proc'],
  [0x62656572, 'sysfs'],
])

const unreachable: Record<string, string> = dictionary({
  ENOTDIR: 'a part of it is a file',
  ENOENT: 'a link in it leads nowhere',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
})

/** Why a folder, which need not be there yet, cannot be one; null: it can. Nothing is created to find out. */
export function whyNoFolder(folder: string): string | null {
  try {
    const existing = nearestExisting(folder)
    if (!statSync(existing).isDirectory()) return 'is a file'
    const kind = kernelFileSystems.get(statfsSync(existing).type)
    return kind ? `is in ${kind}, which does not store files` : null
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // What only this account cannot reach is found out when something is written there.
    return unreachable[code] ? `cannot be used (${code}): ${unreachable[code]}` : null
  }
}

/** Why this account could not write to it, or make it; null: it can. */
export function whyNotWritable(folder: string): string | null {
  try {
    accessSync(nearestExisting(folder), constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return `cannot be written to (${(error as NodeJS.ErrnoException).code})`
  }
}

function nearestExisting(folder: string): string {
  const file = path.resolve(folder)
  // A link that leads nowhere is there, and nothing can be made behind it.
  const isThere = lstatSync(file, { throwIfNoEntry: false })
  if (isThere) return realpathSync(file)
  return nearestExisting(path.dirname(file))
}
