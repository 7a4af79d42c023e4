import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

/**
 * Puts a file into the home of a run. An agent lives there and may have left links for the next turn to follow: whatever
 * is not a plain folder on the way is removed.
 */
export function putIntoHome(home: string, name: string, text: string): string {
  const file = plainWayTo(home, name)
  const fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    writeFileSync(fd, text)
  } finally {
    closeSync(fd)
  }
  return file
}

/** What the runner has put there, if the agent has left it alone. */
export function readFromHome(home: string, name: string): string | null {
  try {
    const file = path.join(home, name)
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}

/** Takes a file away again, and nothing that a link of the agent's leads to. */
export function removeFromHome(home: string, name: string): void {
  plainWayTo(home, name)
}

function plainWayTo(home: string, name: string): string {
  const parts = path.normalize(name).split(path.sep)
  let at = home
  for (const part of parts.slice(0, -1)) {
    at = path.join(at, part)
    if (!isFolder(at)) rmSync(at, { recursive: true, force: true })
    mkdirSync(at, { recursive: true })
  }
  const file = path.join(at, parts.at(-1)!)
  rmSync(file, { recursive: true, force: true })
  return file
}

const isFolder = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false
