import { randomBytes } from 'node:crypto'
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { HeldFolder } from './held-folder.ts'

/** Removes what lies in a folder, whatever was done to it. What is left is tried again otherwise. */
export type Clean = (folder: string, names: readonly string[]) => Promise<void>

/**
 * Where things go that agents have written to. Deleting many files takes longer than anything else that is done with
 * them, so it is never on the way; and what cannot be deleted is reported and stays: no run can keep a runner from working
 * by what it leaves behind.
 */
export class Trash {
  readonly #folder: string
  readonly #clean: Clean
  #isEmptying = false

  constructor(folder: string, clean: Clean) {
    this.#folder = folder
    this.#clean = clean
  }

  /** False: it is still where it was. A link is moved, never followed. */
  async put(thing: string): Promise<boolean> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      using above = HeldFolder.open(path.dirname(thing))
      const name = `${path.basename(thing).slice(0, 100)}-${randomBytes(6).toString('hex')}`
      above.moveOut(path.basename(thing), path.join(this.#folder, name))
      return true
    } catch {
      return false
    }
  }

  /** Removes what lies in it, and says what could not be removed. */
  async empty(): Promise<string[]> {
    if (this.#isEmptying) return []
    this.#isEmptying = true
    try {
      const names = await this.#names()
      if (names.length > 0) await this.#clean(this.#folder, names).catch(() => {})
      for (const name of await this.#left(names)) await this.#removeByHand(name)
      return (await this.#left(names)).map((name) => path.join(this.#folder, name))
    } finally {
      this.#isEmptying = false
    }
  }

  #names = () => readdir(this.#folder).catch((): string[] => [])

  /** Others may have put more there since. */
  async #left(names: readonly string[]): Promise<string[]> {
    const there = await this.#names()
    return there.filter((name) => names.includes(name))
  }

  async #removeByHand(name: string): Promise<void> {
    await nextTurn()
    try {
      using held = HeldFolder.open(this.#folder)
      held.remove(name)
    } catch {
      // It is reported.
    }
  }
}
