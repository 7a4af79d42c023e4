import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import type { Box } from '../box/box.ts'
import { tailOf } from '../box/tail.ts'
import { HeldFolder } from '../disk/held-folder.ts'
import { fileOf } from '../programs/own-program.ts'
import { boxedEnvironment } from './run.ts'

export interface Looking {
  box: Box
  /** What `inside/tree.mjs` is to do. */
  args: string[]
  /** The worktree. */
  folder: string
  /** Its `index` is the one thing beside new objects that is written to. */
  admin: string
  emptyGit: string
  objects: readonly string[]
  mark: Record<string, string>
  /** Whether the worktree is changed by it. */
  writes: boolean
}

/** The result: done, a tree, or that something in the worktree cannot be had. */
export type Looked = { tree?: string } | { refused: string }

const script = () => fileOf('git/inside/tree.mjs')
const megabyte = 1024 * 1024
const mostOfAFile = 100 * megabyte
const mostOfAll = 500 * megabyte
const mostOfALine = 64 * 1024
const longestMs = 10 * 60_000

/**
 * Has git look at a worktree, in a box of its own: no network, no secret, nothing to write to but the index and the
 * objects it makes. `take` is handed the pack of what is new, and the tree that is said to be in it.
 */
export async function inTree(
  looking: Looking,
  take: (pack: Readable, tree: string) => Promise<void> = async () => {},
): Promise<Looked> {
  const { box, args, folder, admin } = looking
  const fresh = path.join(admin, `new-${randomBytes(4).toString('hex')}`)
  await mkdir(fresh)
  const boxed = box.start([process.execPath, script(), ...args], limitsFor(looking, fresh))
  const errors = tailOf(boxed.stderr)
  const timer = setTimeout(() => void boxed.end(0), longestMs)
  try {
    boxed.stdin.end()
    // When a process ends, Node drops what it has printed and was not read yet.
    const { line, rest } = await firstLine(boxed.stdout.pipe(new PassThrough()))
    const said = answerIn(line)
    if ('failed' in said) throw new Error(said.failed)
    if (said.tree && said.objects) await take(rest, said.tree)
    rest.resume()
    const { code } = await boxed.ended
    if (!('refused' in said) && (code !== 0 || (!said.tree && !said.done)))
      throw new Error(errors() || `Git did not finish with ${folder}: it ended with ${code}.`)
    return said
  } finally {
    clearTimeout(timer)
    await boxed.end(0)
    using held = HeldFolder.open(admin)
    held.remove(path.basename(fresh))
  }
}

type Answer = { tree?: string; objects?: number; done?: boolean } | { refused: string } | { failed: string }

function answerIn(line: string): Answer & { tree?: string; objects?: number; done?: boolean } {
  try {
    return JSON.parse(line)
  } catch {
    return { failed: 'Git did not say what it found.' }
  }
}

function limitsFor({ folder, admin, emptyGit, objects, mark, writes }: Looking, fresh: string) {
  const index = path.join(admin, 'index')
  return {
    worktree: folder,
    isWorktreeReadOnly: !writes,
    home: index,
    out: null,
    readable: [path.dirname(process.execPath), script(), emptyGit, ...objects, ...gitFolders()],
    writable: [fresh],
    denied: [],
    environment: {
      ...mark,
      ...boxedEnvironment({
        GIT_DIR: emptyGit,
        GIT_WORK_TREE: folder,
        GIT_INDEX_FILE: path.join(index, 'index'),
        GIT_OBJECT_DIRECTORY: fresh,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.join(':'),
        SIGNALBOX_MOST_OF_A_FILE: String(mostOfAFile),
        SIGNALBOX_MOST_OF_ALL: String(mostOfAll),
      }),
    },
    gateway: null,
    network: 'none' as const,
  }
}

/** The first line of what a process prints, and a stream of what follows it. */
async function firstLine(stream: Readable): Promise<{ line: string; rest: Readable }> {
  let read = Buffer.alloc(0)
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    read = Buffer.concat([read, chunk])
    const end = read.indexOf(10)
    if (end >= 0) {
      stream.unshift(read.subarray(end + 1))
      return { line: read.toString('utf8', 0, end), rest: stream }
    }
    if (read.length > mostOfALine) break
  }
  return { line: '', rest: stream }
}

let found: string[] | null = null

/** Where git is, if it is not among the system's own programs. */
function gitFolders(): string[] {
  if (found) return found
  const own = execFileSync('git', ['--exec-path']).toString().trim()
  found = own.startsWith('/usr/') ? [] : [path.resolve(own, '..', '..')]
  return found
}
