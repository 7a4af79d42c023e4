import { rename, writeFile } from 'node:fs/promises'

/** Writes down what there is to keep, if it has changed; whoever is killed meanwhile leaves the file as it was. */
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
  // One after the other: two at once would take the new file from each other.
  return () => {
    const done = before.then(write)
    before = done.catch(() => {})
    return done
  }
}
