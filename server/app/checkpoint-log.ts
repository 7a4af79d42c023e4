import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { appendToDataFile } from './data-file.ts'

export const checkpointFile = (dataDir: string): string => path.join(dataDir, 'audit-checkpoints.jsonl')

/**
 * Signed checkpoints, kept outside the database: an attacker who rewrites the log there cannot also rewrite what was
 * written here. One JSON line each. Copied elsewhere from time to time, the file proves even against the operator.
 */
export class CheckpointLog {
  readonly #file: string
  readonly #written = new Set<string>()

  constructor(dataDir: string) {
    this.#file = checkpointFile(dataDir)
  }

  async append(notes: string[], at: Date): Promise<void> {
    const fresh = notes.filter((note) => !this.#written.has(note))
    if (fresh.length === 0) return
    await appendToDataFile(
      this.#file,
      fresh.map((note) => `${JSON.stringify({ at: at.toISOString(), note })}\n`).join(''),
    )
    this.#written.clear()
    for (const note of notes) this.#written.add(note)
  }

  async read(): Promise<SavedNote[]> {
    const text = await readFile(this.#file, 'utf8').catch((error) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    return notesIn(text)
  }
}

/** A checkpoint, and when it was written here; a note that was saved on its own does not say. */
export interface SavedNote {
  note: string
  at: Date | undefined
  /** What a timestamp authority has answered about it. */
  timestamp?: Buffer | undefined
}

/** The notes in a file of checkpoints, or the one note a file consists of. */
export function notesIn(text: string): SavedNote[] {
  if (!text.trimStart().startsWith('{')) return text.trim() === '' ? [] : [{ note: text, at: undefined }]
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const { note, at, timestamp } = JSON.parse(line)
      return {
        note,
        at: at === undefined ? undefined : new Date(at),
        ...(timestamp === undefined ? {} : { timestamp: Buffer.from(timestamp, 'base64') }),
      }
    })
}
