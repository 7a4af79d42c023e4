import { constants, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import path from 'node:path'

/**
 * Writes at the end of a file of the data folder. Operators often run commands as root beside a server that is not: what
 * such a command makes belongs to the owner of the folder, or the server could neither read it nor go on in it.
 */
export async function appendToDataFile(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await write(file, text, constants.O_APPEND, 0o666)
}

/** The same of a file that only its owner may read, and that is not there yet. */
export async function createSecretFile(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await write(file, text, constants.O_EXCL, 0o600)
}

async function write(file: string, text: string, how: number, mode: number): Promise<void> {
  const owner = process.getuid?.() === 0 ? await stat(path.dirname(file)) : null
  // Who may write to the folder could have put a link there, through which root would write elsewhere.
  const links = owner && owner.uid !== 0 ? constants.O_NOFOLLOW : 0
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | how | links, mode)
  try {
    await handle.writeFile(text)
    if (owner) await leaveTo(owner, handle)
  } finally {
    await handle.close()
  }
}

async function leaveTo(owner: Stats, handle: FileHandle): Promise<void> {
  const { uid, nlink } = await handle.stat()
  if (uid === 0 && owner.uid !== 0 && nlink === 1) await handle.chown(owner.uid, owner.gid)
}
