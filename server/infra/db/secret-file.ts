import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A file that is none, or was left half written: what grows from that could be guessed. */
export class DamagedSecret extends Error {}

/** What is made here has more; what an operator has put there must have as many as SECRET_KEY. */
const fewestCharacters = 32
/** Another process may have made the file a moment ago, and be about to write it. */
const writtenWithinMs = 1_000

/** Reads a secret from the data folder, or makes it there on the first start. */
export async function secretFile(folder: string, name: string): Promise<string> {
  const file = path.join(folder, name)
  await mkdir(folder, { recursive: true })
  const there = await readSecretFile(file)
  if (there !== null) return there
  try {
    await writeFile(file, `${randomBytes(32).toString('base64url')}\n`, {
      ...{ mode: 0o600, flag: 'wx', flush: true },
    })
    await chmod(file, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return (await readSecretFile(file))!
}

/** What is in the file; null: there is none. */
export async function readSecretFile(file: string): Promise<string | null> {
  const until = performance.now() + writtenWithinMs
  for (;;) {
    const secret = await readTrimmed(file)
    if (secret === null || secret.length >= fewestCharacters) return secret
    if (performance.now() > until)
      throw new DamagedSecret(
        `The file ${file} is damaged: it must hold at least ${fewestCharacters} characters and has ${secret.length}. Put it back from a backup. If nothing has been set up with this data folder yet, delete the file, and the next start makes a new one.`,
      )
    await sleep(50)
  }
}

async function readTrimmed(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'EISDIR')
      throw new DamagedSecret(`${file} is a folder, and must be a file with a secret. Move it away.`)
    throw error
  }
}
