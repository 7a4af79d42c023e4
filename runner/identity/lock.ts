import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ExitError } from '../exit-error.ts'

interface Holder {
  pid: number
  /** When the process began, in ticks of the kernel: a pid alone may be someone else's by now. */
  began: string | null
  nonce: string
}

/** Keeps a second process out of the data folder. What a killed one left behind is taken over. */
export function lockFolder(folder: string): { release(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, 'lock')
  const mine: Holder = { pid: process.pid, began: beganOf(process.pid), nonce: randomUUID() }
  const draft = `${file}.${mine.nonce}`
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 })
  try {
    while (!linked(draft, file)) removeStale(file, folder)
  } finally {
    rmSync(draft, { force: true })
  }
  return {
    release() {
      if (read(file)?.nonce === mine.nonce) rmSync(file, { force: true })
    },
  }
}

/** A link is made or it is not; of two processes one makes it. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function removeStale(file: string, folder: string): void {
  const holder = read(file)
  if (holder && isAlive(holder))
    throw new ExitError(
      `Another runner (process ${holder.pid}) uses ${folder}. Stop it, or give this one its own folder with --data.`,
    )
  // Moved first and looked at again: another process may have taken over between the look and the move.
  const aside = `${file}.${randomUUID()}`
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  const moved = read(aside)
  if (moved && isAlive(moved)) linked(aside, file)
  rmSync(aside, { force: true })
}

function read(file: string): Holder | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

function isAlive({ pid, began }: Holder): boolean {
  if (pid === process.pid) return began === beganOf(pid)
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return began === null || began === beganOf(pid)
}

function beganOf(pid: number): string | null {
  try {
    // The name of the program is in brackets and may hold anything; the 20th field after it is the start.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[19] ?? null
  } catch {
    return null
  }
}
