import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A socket's address is short by law of the system: 104 bytes with its end on macOS, 108 on Linux. */
const mostBytes = 103
/** What `mkdtemp` adds, and the longest name of a socket. */
const added = 'p-XXXXXX/model.sock'.length + 1

/** A folder for a socket that keeps others out: of the order, or where its path is too long, among temporary ones. */
export function socketFolder(folder: string, prefix: string): Promise<string> {
  const fits = Buffer.byteLength(folder) + added <= mostBytes
  return mkdtemp(fits ? path.join(folder, prefix) : path.join(tmpdir(), `signalbox-${prefix}`))
}
