import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Box } from '../box/box.ts'
import { HeldFolder } from '../disk/held-folder.ts'
import type { Trash } from '../disk/trash.ts'
import type { Intake, Left, Worktree } from './git.ts'
import { checkedId } from './names.ts'
import { inTree } from './tree-box.ts'

/** Where a worktree is, and what is kept beside it, out of everyone's reach. */
interface Room {
  folder: string
  /** Of the runner's own: when it was used, for whom, and a folder with the index that boxes may write to. */
  admin: string
  /** A git folder without anything in it: what a box is shown in place of the repository's. */
  emptyGit: string
  box: Box
  trash: Trash
  /** By which processes of git are found that outlive their runner. */
  mark: Record<string, string>
  now: () => Date
  giveBack: (worktree: GitWorktree) => Promise<void>
}

/** What is in the worktree cannot be taken in; the message says what it is. */
export class Unacceptable extends Error {}

/**
 * A folder that an agent or a gate writes to. Git looks at it only inside of a box that has no network, no secret, and
 * nothing it can write to but an index and the objects it makes; those come out as a pack, which is taken in like one
 * from a stranger. Outside, nothing but objects is read.
 */
export class GitWorktree implements Worktree {
  readonly folder: string
  readonly #room: Room
  readonly #run: string
  readonly #intake: Intake
  #isReleased = false
  /** What it was checked out from, or committed as: an index begins there. */
  #at: string | null = null
  /** What stands there, until something else is put there. */
  #head: string | null = null

  constructor(room: Room, run: string, intake: Intake) {
    this.folder = room.folder
    this.#room = room
    this.#run = run
    this.#intake = intake
  }

  async reset(commit: string): Promise<void> {
    await this.#put(commit, 'reset')
  }

  /** As the run that left it at this commit knows it: with what git ignores, such as what was installed or built. */
  async resume(commit: string): Promise<void> {
    await this.#put(commit, 'resume')
  }

  async #put(commit: string, how: 'reset' | 'resume'): Promise<void> {
    this.#head = null
    // Killed from here on, nothing half-made is left.
    await writeFile(markOf(this.#room.admin), '')
    await this.#room.trash.put(path.join(this.folder, '.git'))
    await mkdir(path.join(this.#room.admin, 'index'), { recursive: true })
    await this.#inTree(['put', checkedId(commit), how], { writes: true })
    this.#at = commit
    this.#giveAgentItsGit(commit)
  }

  /** `writes`: to the worktree. */
  #inTree(args: string[], { writes }: { writes: boolean }, onOutput?: Parameters<typeof inTree>[1]) {
    const { admin, emptyGit, box, mark } = this.#room
    const objects = this.#intake.objects
    return inTree({ box, args, folder: this.folder, admin, emptyGit, objects, mark, writes }, onOutput)
  }

  /**
   * A small repository that borrows the objects: the agent may commit, configure and break in it what it likes. The
   * runner never looks into it.
   */
  #giveAgentItsGit(commit: string): void {
    using held = HeldFolder.open(this.folder)
    using kept = HeldFolder.open(path.join(this.#room.admin, 'index'))
    const config = [
      '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n',
      '[gc]\n\tauto = 0\n',
      '[user]\n\tname = Agent\n\temail = agent@signalbox.invalid\n',
    ]
    for (const folder of ['objects/pack', 'refs/tags']) held.makeFolder(`.git/${folder}`)
    held.write('.git/HEAD', 'ref: refs/heads/work\n')
    held.write('.git/refs/heads/work', `${commit}\n`)
    held.write('.git/config', config.join(''))
    held.write('.git/objects/info/alternates', this.#intake.objects.map((folder) => `${folder}\n`).join(''))
    // It tells git which files are as they were, so that the agent's first look costs little.
    const index = kept.read('index', mostOfAnIndex)
    if ('bytes' in index) held.write('.git/index', index.bytes)
  }

  async tree({ fresh = false }: { fresh?: boolean } = {}): Promise<string> {
    const taken = await this.#inTree(
      ['take', checkedId(this.#at!), fresh ? 'fresh' : 'kept'],
      { writes: false },
      (pack, tree) => this.#intake.importPack(pack, tree),
    ).catch((error) => {
      throw new Unacceptable(`The contents of the worktree cannot be read. ${error.message}`)
    })
    if ('refused' in taken) throw new Unacceptable(taken.refused)
    return checkedId(taken.tree ?? '')
  }

  async commit(parent: string, message: string): Promise<string> {
    // Whatever was done to the times of files, each is read once more.
    const tree = await this.tree({ fresh: true })
    const commit = await this.#intake.commitTree(tree, parent, message)
    this.#at = commit
    this.#head = commit
    return commit
  }

  async release({ keepsFiles = false }: { keepsFiles?: boolean } = {}): Promise<void> {
    if (this.#isReleased) return
    this.#isReleased = true
    const now = this.#room.now()
    const left = { run: this.#run, head: this.#head ?? '' } satisfies Left
    const mark = markOf(this.#room.admin)
    await writeFile(mark, keepsFiles && this.#head ? JSON.stringify(left) : '')
    await utimes(mark, now, now)
    await this.#room.giveBack(this)
  }
}

/** An index of half a million files; without it the agent's first look takes a little longer. */
const mostOfAnIndex = 100_000_000

export const markOf = (admin: string) => path.join(admin, 'used')

/** The run that a worktree is kept for, and where that left it. */
export async function leftIn(admin: string): Promise<Left | null> {
  try {
    return JSON.parse(await readFile(markOf(admin), 'utf8'))
  } catch {
    return null
  }
}

/** When it was given back last; in milliseconds. */
export const usedAt = (admin: string): Promise<number> =>
  stat(markOf(admin)).then(
    (found) => found.mtimeMs,
    () => 0,
  )

export async function discard({
  folder,
  admin,
  trash,
}: Pick<Room, 'folder' | 'admin' | 'trash'>): Promise<void> {
  await trash.put(folder)
  await trash.put(admin)
}
