import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import path from 'node:path'

/** Writes a small file so that after a crash there is the old one or the new one, never half of one. */
export function writeAtomically(file: string, text: string): void {
  const fresh = `${file}.new`
  const handle = openSync(fresh, 'w', 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(fresh, file)
  syncFolder(path.dirname(file))
}

/** Without it a crash of the machine may forget that a file was made, whatever is in it. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } catch {
    // Some file systems cannot; they also do not need it.
  } finally {
    closeSync(handle)
  }
}
