import { readFile } from 'node:fs/promises'
import { UsageError } from './usage-error.ts'

/** The file that an argument names. That it cannot be read is a mistake in the call. */
export async function readNamed(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EISDIR') throw new UsageError(`${file} is a folder. Name a file.`)
    throw new UsageError(
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${message}.`,
    )
  }
}
