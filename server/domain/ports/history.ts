import type { Repository } from '@signalbox/contract/service.ts'

/** A change of the default branch: a merge, or a commit pushed directly. */
export interface Merge {
  commit: string
  mergedAt: Date
  author: string
  title: string
  /** What it changed, within the folder that was asked for; the first 500. */
  paths: string[]
  pullRequest: number | null
}

/** What a merge changed, unified, for people to read. `isCut`: it was too long, so it was cut. */
export interface MergeDiff {
  text: string
  isCut: boolean
}

/** A repository that is not read, with a reason that may be shown to the person who named it. */
export class NotRead extends Error {}

/** What has happened to the code lately. Only ever reads. */
export interface History {
  /** Newest first. Fails when the repository cannot be read: with NotRead where something can be said about it. */
  recentMerges(repository: Repository, since: Date): Promise<Merge[]>
  /** What a merge changed, in all folders: it is reverted as a whole. Fails like the above, or when it isn't there. */
  diffOf(repository: Repository, commit: string): Promise<MergeDiff>
}
