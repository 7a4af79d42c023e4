import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** A program that is handed out as it is: its bytes, and what they are known by. */
export interface ProgramFile {
  bytes: Buffer
  sha256: string
}

/**
 * Read when it is asked for, since it is megabytes that are rarely wanted. A build replaces the file as a whole; what is
 * handed out is always what its sum was made from. Null: there is none.
 */
export async function readProgramFile(file: string): Promise<ProgramFile | null> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return bytes && { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}
