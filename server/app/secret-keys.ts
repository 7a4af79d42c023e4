import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from './config.ts'

export const secretKeyFile = 'secret.key'
/** Whoever has no settings rotates by renaming the file: the next start makes a new one. */
export const previousKeyFile = 'secret.key.previous'

type From = Pick<Config, 'dataDir' | 'secretKey' | 'secretKeyPrevious'>

/** SECRET_KEY, or the one in the data folder; null: there is none, and none is made. */
export const readSecretKey = async ({ secretKey, dataDir }: From): Promise<string | null> =>
  secretKey ?? readTrimmed(path.join(dataDir, secretKeyFile))

/** The key before, while it is being replaced. */
export const readPreviousKey = async ({ secretKeyPrevious, dataDir }: From): Promise<string | null> =>
  secretKeyPrevious ?? readTrimmed(path.join(dataDir, previousKeyFile))

async function readTrimmed(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
