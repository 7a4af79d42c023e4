import type { PracticeObstacle } from '@signalbox/contract/app/practice.ts'

/** Where practice projects have their repositories and their runners: folders of this machine. */
export interface PracticeGround {
  /** What this machine lacks for a project; null: nothing. */
  obstacle(): Promise<PracticeObstacle | null>
  /** A new folder with a small repository in it. */
  prepare(): Promise<PracticePlace>
  /** Everything in it, also what a runner left there. */
  clear(folder: string): Promise<void>
}

export interface PracticePlace {
  /** Its name, which cannot be guessed. */
  folder: string
  /** Where git finds the repository. */
  address: string
  branch: string
}
