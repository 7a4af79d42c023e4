import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { appendToDataFile } from './data-file.ts'

export const erasedPeopleFile = (dataDir: string): string => path.join(dataDir, 'erased-people.jsonl')

interface ErasedPerson {
  id: string
  at: Date
}

/**
 * Ids of people who were erased, kept outside of the database: a backup from before brings them back, and a restore
 * erases them again. One JSON line each.
 */
export class ErasedPeople {
  readonly #file: string
  #known: Set<string> | undefined

  constructor(dataDir: string) {
    this.#file = erasedPeopleFile(dataDir)
  }

  async add(people: readonly ErasedPerson[]): Promise<void> {
    this.#known ??= new Set((await this.read()).map(({ id }) => id))
    const fresh = people.filter(({ id }) => !this.#known!.has(id))
    if (fresh.length === 0) return
    await appendToDataFile(
      this.#file,
      fresh.map(({ id, at }) => `${JSON.stringify({ id, at: at.toISOString() })}\n`).join(''),
    )
    for (const { id } of fresh) this.#known.add(id)
  }

  async read(): Promise<ErasedPerson[]> {
    const text = await readFile(this.#file, 'utf8').catch((error) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    return erasedIn(text)
  }
}

/** Who is in such a file. */
export const erasedIn = (text: string): ErasedPerson[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const { id, at } = JSON.parse(line)
      return { id, at: new Date(at) }
    })
