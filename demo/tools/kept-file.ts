import { rename, writeFile } from 'node:fs/promises'

/** Writes the text to keep, if it has changed; a process killed in between leaves the file as it was. */
export function keptFile(file: string, text: () => string): () => Promise<void> {
  let written = ''
  let before = Promise.resolve()
  const write = async () => {
    const now = text()
    if (now === written) return
    await writeFile(`${file}.new`, now)
    await rename(`${file}.new`, file)
    written = now
  }
  // One after the other: two writes at the same time would take the new file from each other.
  return () => {
    const done = before.then(write)
    before = done.catch(() => {})
    return done
  }
}
