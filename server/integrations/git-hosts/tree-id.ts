import { createHash } from 'node:crypto'

/** One thing in a folder, as a host lists it. */
export interface TreeEntry {
  id: string
  name: string
  mode: string
}

/** The id that git gives a tree with exactly these entries. `digits`: of the ids. */
export function treeId(entries: readonly TreeEntry[], digits: number): string {
  const parts = entries.map(({ id, name, mode }) => {
    const isFolder = mode === '040000'
    return {
      // Git sorts by bytes, and takes a folder for a name that ends in a slash.
      by: Buffer.from(isFolder ? `${name}/` : name),
      bytes: Buffer.concat([Buffer.from(`${mode.replace(/^0+/, '')} ${name}\0`), Buffer.from(id, 'hex')]),
    }
  })
  parts.sort((a, b) => Buffer.compare(a.by, b.by))
  const content = Buffer.concat(parts.map(({ bytes }) => bytes))
  return createHash(digits === 64 ? 'sha256' : 'sha1')
    .update(`tree ${content.length}\0`)
    .update(content)
    .digest('hex')
}
