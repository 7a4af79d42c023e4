import path from 'node:path'
import { HeldFolder } from '../disk/held-folder.ts'

/**
 * Puts a file into the home of a run. An agent lives there and may have left links for the next turn to follow: whatever
 * is not a plain folder on the way is removed.
 */
export function putIntoHome(home: string, name: string, text: string): string {
  using held = HeldFolder.open(home)
  held.write(name, text)
  return path.join(home, name)
}

/** What the runner has put there, if the agent has left it alone. */
export function readFromHome(home: string, name: string): string | null {
  using held = HeldFolder.open(home)
  const found = held.read(name, mostOfAFile)
  return 'bytes' in found ? found.bytes.toString('utf8') : null
}

/** Takes a file away again, and nothing that a link of the agent's leads to. */
export function removeFromHome(home: string, name: string): void {
  using held = HeldFolder.open(home)
  held.remove(name)
}

const mostOfAFile = 16_000_000
