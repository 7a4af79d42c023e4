import { mkdir, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Anchor, SentCheckpoint } from '../../domain/ports/anchor.ts'

/**
 * A folder, such as a share in which nothing can be changed later: each time, one new file with a line for each log, as in
 * audit-checkpoints.jsonl. No file is written to again.
 */
export function folderAnchor(dir: string): Anchor {
  return {
    async send(checkpoints, at) {
      await mkdir(dir, { recursive: true })
      const file = path.join(dir, `checkpoints-${at.toISOString().replaceAll(/[-:.]/g, '')}.jsonl`)
      const unfinished = `${file}.unfinished`
      await rm(unfinished, { force: true })
      const handle = await open(unfinished, 'wx', 0o644)
      try {
        await handle.writeFile(checkpoints.map((one) => `${lineOf(one, at)}\n`).join(''))
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(unfinished, file)
    },
  }
}

const lineOf = ({ note, timestamp }: SentCheckpoint, at: Date): string =>
  JSON.stringify({
    at: at.toISOString(),
    note,
    ...(timestamp ? { timestamp: timestamp.toString('base64') } : {}),
  })
