import type { Change, Counts, Entry, Objects } from '@signalbox/contract/guard/objects.ts'
import { limitedGit } from './limited-git.ts'

/** What a commit says that matters here. */
export interface Commit {
  tree: string
  parents: string[]
}

/** One entry of one tree. */
interface Named {
  name: string
  mode: string
  id: string
}

/** Everything that was unpacked, by its id, with its size. */
export type Inventory = ReadonlyMap<string, { type: string; size: number }>

/** It grows beyond what a repository has when it is spelled out: small trees that hold each other many times over. */
export class TooMuch extends Error {}

const most = { entries: 200_000, length: 20_000_000, depth: 300 }

/** What one walk may come across. */
class Room {
  #entries = 0
  #length = 0

  take(path: string, depth: number): void {
    this.#entries += 1
    this.#length += path.length
    if (this.#entries > most.entries || this.#length > most.length || depth > most.depth) throw new TooMuch()
  }
}

const noMode = '000000'
const isTree = (mode: string) => mode === '040000'

/** The objects of one bundle. Of the base it has what the change is measured against; the rest is passed over. */
export class BundledObjects implements Objects {
  readonly inventory: Inventory
  readonly #gitDir: string
  readonly #commits = new Map<string, Commit>()
  readonly #trees = new Map<string, Named[]>()

  private constructor(gitDir: string, inventory: Inventory) {
    this.#gitDir = gitDir
    this.inventory = inventory
  }

  /** Commits and trees are read right away: they are small, and everything else follows from them. */
  static async open(gitDir: string, inventory: Inventory): Promise<BundledObjects> {
    const objects = new BundledObjects(gitDir, inventory)
    const wanted = [...inventory].filter(([, { type }]) => type === 'commit' || type === 'tree')
    const contents = await objects.#contents(wanted.map(([id]) => id))
    for (const [id, { type }] of wanted) {
      const content = contents.get(id)!
      if (type === 'commit') objects.#commits.set(id, commitIn(content))
      else objects.#trees.set(id, entriesIn(content, id.length / 2))
    }
    return objects
  }

  commit(id: string): Commit | undefined {
    return this.#commits.get(id)
  }

  async has(commit: string): Promise<boolean> {
    return this.#commits.has(commit)
  }

  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    const seen = new Set<string>([commit])
    for (const id of seen) {
      if (id === ancestor) return this.#commits.has(id)
      for (const parent of this.#commits.get(id)?.parents ?? []) seen.add(parent)
    }
    return false
  }

  async changes(base: string, tree: string): Promise<Change[]> {
    const found: Change[] = []
    const room = new Room()
    const walk = (before: string | null, after: string | null, folder: string, depth: number) => {
      const [old, now] = [this.#named(before, folder), this.#named(after, folder)]
      for (const name of new Set([...old.keys(), ...now.keys()])) {
        const [a, b] = [old.get(name), now.get(name)]
        if (a?.mode === b?.mode && a?.id === b?.id) continue
        const path = `${folder}${name}`
        room.take(path, depth)
        const [was, is] = [a && !isTree(a.mode) ? a : undefined, b && !isTree(b.mode) ? b : undefined]
        if (was || is) found.push(changeOf(path, was, is, tree.length))
        const [from, to] = [a && isTree(a.mode) ? a.id : null, b && isTree(b.mode) ? b.id : null]
        if (from !== null || to !== null) walk(from, to, `${path}/`, depth + 1)
      }
    }
    walk(this.#treeOf(base), this.#treeOf(tree), '', 0)
    return found
  }

  async counts(base: string, tree: string): Promise<Counts[]> {
    const flags = ['-r', '-z', '--no-renames', '--numstat', '--no-ext-diff', '--no-textconv']
    const printed = await this.#git(['diff-tree', ...flags, this.#treeOf(base), this.#treeOf(tree), '--'])
    return fieldsOf(printed).map((line) => {
      const [additions, deletions, ...rest] = line.split('\t')
      return { path: rest.join('\t'), additions: numberOf(additions!), deletions: numberOf(deletions!) }
    })
  }

  /**
   * A folder that is missing here, because nothing in it differs, counts as an entry: its name may still clash with
   * another.
   */
  async entries(tree: string): Promise<Entry[]> {
    const found: Entry[] = []
    const room = new Room()
    const walk = (id: string, folder: string, depth: number) => {
      for (const { name, mode, id: blob } of this.#trees.get(id)!) {
        const path = `${folder}${name}`
        room.take(path, depth)
        if (isTree(mode) && this.#trees.has(blob)) walk(blob, `${path}/`, depth + 1)
        else found.push({ path, mode, blob })
      }
    }
    walk(this.#treeOf(tree), '', 0)
    return found
  }

  async sizes(blobs: string[]): Promise<Map<string, number>> {
    return new Map(
      blobs.flatMap((id) => {
        const found = this.inventory.get(id)
        return found?.type === 'blob' ? [[id, found.size] as const] : []
      }),
    )
  }

  async readBlobs(blobs: string[], maxBytes: number): Promise<Map<string, Buffer>> {
    const sizes = await this.sizes(blobs)
    return this.#contents([...sizes.keys()].filter((id) => sizes.get(id)! <= maxBytes))
  }

  async diff(base: string, head: string, mostBytes: number): Promise<{ text: string; isCut: boolean }> {
    const flags = ['-r', '-p', '-M', '--no-color', '--no-ext-diff', '--no-textconv']
    const prefixes = ['--src-prefix=a/', '--dst-prefix=b/']
    const printed = await this.#git(
      ['diff-tree', ...flags, ...prefixes, this.#treeOf(base), this.#treeOf(head), '--'],
      { maxBytes: mostBytes, cuts: true },
    )
    const isCut = printed.length >= mostBytes
    return { text: `${printed}${isCut ? '\n… cut here: the diff is longer than this\n' : ''}`, isCut }
  }

  #treeOf(id: string): string {
    const tree = this.#commits.get(id)?.tree ?? id
    if (!this.#trees.has(tree)) throw new Error(`There is no tree ${tree} in the bundle.`)
    return tree
  }

  /** What differs is here on both sides, or the bundle is not whole. */
  #named(tree: string | null, folder: string): ReadonlyMap<string, Named> {
    if (tree === null) return new Map()
    const entries = this.#trees.get(tree)
    if (!entries) throw new Incomplete(folder)
    return new Map(entries.map((entry) => [entry.name, entry]))
  }

  async #contents(ids: string[]): Promise<Map<string, Buffer>> {
    if (ids.length === 0) return new Map()
    const sizeOf = (id: string) => this.inventory.get(id)!.size
    const maxBytes = ids.reduce((sum, id) => sum + sizeOf(id) + 200, 0)
    const input = ids.map((id) => `${id}\n`).join('')
    const printed = await this.#git(['cat-file', '--batch'], { input, maxBytes })
    const found = new Map<string, Buffer>()
    let at = 0
    for (const id of ids) {
      const start = printed.indexOf('\n', at) + 1
      at = start + sizeOf(id) + 1
      found.set(id, printed.subarray(start, at - 1))
    }
    return found
  }

  #git(args: string[], options: Omit<Parameters<typeof limitedGit>[1], 'gitDir'> = {}): Promise<Buffer> {
    return limitedGit(args, { gitDir: this.#gitDir, ...options })
  }
}

/** Something that differs is not in the bundle. */
export class Incomplete extends Error {
  readonly where: string

  constructor(where: string) {
    super(`The bundle lacks ${where || 'the tree of a commit'}.`)
    this.where = where
  }
}

function changeOf(path: string, was: Named | undefined, is: Named | undefined, digits: number): Change {
  const kind = (mode: string) => mode.slice(0, 3)
  const none = '0'.repeat(digits)
  return {
    path,
    status: !was ? 'added' : !is ? 'deleted' : kind(was.mode) === kind(is.mode) ? 'modified' : 'type',
    mode: { before: was?.mode ?? noMode, after: is?.mode ?? noMode },
    blob: { before: was?.id ?? none, after: is?.id ?? none },
  }
}

/** As git reads it: the tree, then its parents in a row. Whatever says `parent` further down is none. */
function commitIn(content: Buffer): Commit {
  const [first, ...lines] = content.toString('latin1').split('\n')
  const end = lines.findIndex((line) => !line.startsWith('parent '))
  return {
    tree: first!.slice('tree '.length),
    parents: lines.slice(0, end).map((line) => line.slice('parent '.length)),
  }
}

/** `mode name`, a zero byte, and the id as bytes; one after the other. */
function entriesIn(content: Buffer, idBytes: number): Named[] {
  const found: Named[] = []
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const zero = content.indexOf(0, space)
    const mode = content.toString('latin1', at, space).padStart(6, '0')
    at = zero + 1 + idBytes
    found.push({
      mode,
      name: content.toString('utf8', space + 1, zero),
      id: content.toString('hex', zero + 1, at),
    })
  }
  return found
}

const fieldsOf = (printed: Buffer): string[] => printed.toString().split('\0').slice(0, -1)
const numberOf = (text: string) => (text === '-' ? null : Number(text))
