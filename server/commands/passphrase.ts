import { type Config, shortestPassphrase } from '../app/config.ts'
import { readNamed } from './read-named.ts'
import { UsageError } from './usage-error.ts'

/** What encrypts a backup: from the file that is named, or as configured; null: nothing does. */
export async function passphraseFrom(file: string | undefined, { backup }: Config): Promise<string | null> {
  if (file === undefined) return backup.passphrase
  const passphrase = (await readNamed(file)).toString().trim()
  if (passphrase.length < shortestPassphrase)
    throw new UsageError(`The passphrase in ${file} must have at least ${shortestPassphrase} characters.`)
  return passphrase
}
