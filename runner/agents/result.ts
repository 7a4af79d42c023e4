import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import path from 'node:path'

/**
 * A file of the result folder, as text. The agent writes there: a link, a pipe or a file without an end would lead the
 * runner elsewhere, so they count as nothing.
 */
export function readResult(folder: string, name: string, maxBytes = 1_000_000): string | null {
  const file = path.join(folder, name)
  try {
    const root = realpathSync(folder)
    const parent = realpathSync(path.dirname(file))
    if (parent !== root && !parent.startsWith(`${root}${path.sep}`)) return null
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const { size } = fstatSync(fd)
      if (!fstatSync(fd).isFile() || size > maxBytes) return null
      const bytes = Buffer.alloc(size)
      return bytes.toString('utf8', 0, readSync(fd, bytes, 0, size, 0))
    } finally {
      closeSync(fd)
    }
  } catch {
    return null
  }
}
