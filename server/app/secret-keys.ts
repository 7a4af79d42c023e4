import path from 'node:path'
import { readSecretFile } from '../infra/db/secret-file.ts'
import type { Config } from './config.ts'

export const secretKeyFile = 'secret.key'
/** Without settings, a key is rotated by renaming the file: the next start makes a new one. */
export const previousKeyFile = 'secret.key.previous'

type From = Pick<Config, 'dataDir' | 'secretKey' | 'secretKeyPrevious'>

/** SECRET_KEY, or the one in the data folder; null: there is none, and none is made. */
export const readSecretKey = async ({ secretKey, dataDir }: From): Promise<string | null> =>
  secretKey ?? readSecretFile(path.join(dataDir, secretKeyFile))

/** The key before, while it is being replaced. */
export const readPreviousKey = async ({ secretKeyPrevious, dataDir }: From): Promise<string | null> =>
  secretKeyPrevious ?? readSecretFile(path.join(dataDir, previousKeyFile))
