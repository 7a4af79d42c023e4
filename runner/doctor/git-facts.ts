import { accessSync, constants } from 'node:fs'
import type { RunnerGit } from '@signalbox/contract/runner/messages.ts'
import { findGit } from './machine.ts'

/** What this machine can read, as people are told: which git, and which folders of the operator's. */
export function gitFacts(folders: readonly string[], find = findGit): RunnerGit {
  const { state, found } = find()
  return {
    version: state === 'fine' ? found.slice(0, 40) : null,
    folders: folders.slice(0, 50).map((path) => ({ path: path.slice(0, 500), isReadable: isReadable(path) })),
  }
}

function isReadable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
