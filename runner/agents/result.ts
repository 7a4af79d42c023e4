import { HeldFolder } from '../disk/held-folder.ts'

/**
 * A file of the result folder, as text. The agent writes there: a link, a pipe or a file without an end would lead the
 * runner elsewhere, so they count as nothing.
 */
export function readResult(folder: string, name: string, maxBytes = 1_000_000): string | null {
  using held = HeldFolder.open(folder)
  const found = held.read(name, maxBytes)
  return 'bytes' in found ? found.bytes.toString('utf8') : null
}

/** Takes a file of the result folder away, such as one that an earlier turn has left. */
export function removeResult(folder: string, name: string): void {
  using held = HeldFolder.open(folder)
  held.remove(name)
}
