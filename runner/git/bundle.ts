import { readFile } from 'node:fs/promises'

/** What a bundle says of itself, and the pack that it carries. */
export interface Bundle {
  needs: string[]
  heads: string[]
  pack: Buffer
}

const id = '[0-9a-f]{40}(?:[0-9a-f]{24})?'

export async function readBundle(file: string): Promise<Bundle> {
  const bytes = await readFile(file)
  const end = bytes.indexOf('\n\n')
  const [signature, ...lines] = bytes.subarray(0, Math.max(end, 0)).toString().split('\n')
  if (signature !== '# v2 git bundle') throw new Error('This is not a git bundle that the runner can read.')
  const needs: string[] = []
  const heads: string[] = []
  for (const line of lines) {
    const match = new RegExp(`^(-?)(${id})( |$)`).exec(line)
    if (!match) throw new Error('The head of the bundle cannot be read.')
    if (match[1]) needs.push(match[2]!)
    else heads.push(match[2]!)
  }
  return { needs, heads, pack: bytes.subarray(end + 2) }
}
