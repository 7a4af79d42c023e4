import { readFileSync } from 'node:fs'
import { dictionary } from './dictionary.ts'

/**
 * The environment with those of the named secrets that are in files: `NAME_FILE` says where, as Docker, Kubernetes and
 * systemd hand them in. What is wrong with one is added to `mistakes`; no content is ever part of that.
 */
export function withSecretFiles(
  environment: Readonly<Partial<Record<string, string>>>,
  names: readonly string[],
  mistakes: string[],
): Partial<Record<string, string>> {
  const read: Partial<Record<string, string>> = dictionary()
  for (const name of names) {
    const file = environment[`${name}_FILE`]?.trim()
    if (!file) continue
    if (environment[name]?.trim()) mistakes.push(`${name} and ${name}_FILE are both set. Set one of them.`)
    try {
      read[name] = readFileSync(file, 'utf8').trim()
      if (read[name] === '') mistakes.push(`${name}_FILE: the file ${file} is empty.`)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      mistakes.push(`${name}_FILE: the file ${file} cannot be read (${code}).`)
    }
  }
  return { ...environment, ...read }
}
