import { accessSync, closeSync, constants, openSync, readSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { exposureOf, type Private } from '../box/exposure.ts'

/** Where a program is found on a search path; null: nowhere. */
export function findProgram(name: string, searchPath: string): string | null {
  if (name.includes('/')) return isExecutable(name) ? path.resolve(name) : null
  const found = searchPath
    .split(path.delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => path.join(folder, name))
    .find(isExecutable)
  return found ?? null
}

/** How it is launched: what is written for Node runs on the Node of the runner, whatever the box has on its path. */
export function launchOf(program: string): string[] {
  const file = realpathSync(program)
  return firstLine(file).includes('node') ? [process.execPath, file] : [file]
}

/**
 * What has to be readable to run it: the packages it was installed with, else the folder it is in. Where that
 * folder holds what is no one's to show, as a home does, the program stands there alone, and only it is shown.
 */
export function installFolder(program: string, of: Private): string {
  const file = realpathSync(program)
  const parts = file.split(path.sep)
  const at = parts.indexOf('node_modules')
  const folder = at < 0 ? path.dirname(file) : parts.slice(0, at + 1).join(path.sep)
  return at < 0 && exposureOf(folder, of) !== null ? file : folder
}

function firstLine(file: string): string {
  const bytes = Buffer.alloc(200)
  const fd = openSync(file, 'r')
  try {
    const text = bytes.toString('latin1', 0, readSync(fd, bytes, 0, 200, 0))
    return text.startsWith('#!') ? text.split('\n')[0]! : ''
  } finally {
    closeSync(fd)
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
