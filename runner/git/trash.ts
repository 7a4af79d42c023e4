import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, rename } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import path from 'node:path'

/** Deleting many files takes longer than anything else that is done with them, so it is never on the way. */
export class Trash {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async put(thing: string): Promise<void> {
    const found = await lstat(thing).catch(() => null)
    if (!found) return
    await mkdir(this.#folder, { recursive: true })
    // An agent may have taken our right to write from a folder of its own. A link is moved, never followed.
    if (found.isDirectory()) await chmod(thing, 0o700)
    await rename(thing, path.join(this.#folder, `${path.basename(thing)}-${randomBytes(6).toString('hex')}`))
  }

  /** Removes what lies in it while others go first. */
  async empty(): Promise<void> {
    const names = await readdir(this.#folder).catch((): string[] => [])
    for (const name of names) {
      const thing = path.join(this.#folder, name)
      if (!(await patiently('rm', ['-rf', '--', thing]))) {
        await patiently('chmod', ['-R', 'u+rwX', '--', thing])
        await patiently('rm', ['-rf', '--', thing])
      }
    }
  }
}

function patiently(command: string, args: string[]): Promise<boolean> {
  const child = spawn(command, args, { stdio: 'ignore' })
  if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  return new Promise((resolve) => {
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code === 0))
  })
}
