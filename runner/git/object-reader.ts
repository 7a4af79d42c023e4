import type { Change, Counts, Entry, Objects } from '@signalbox/contract/guard/objects.ts'
import { checkedId } from './names.ts'
import { GitError, type GitOptions, git, gitLine } from './run.ts'

const mostOfADiff = 16 * 1024 * 1024
/** No setting has a say in what differs. */
const asItIs = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=none']

/** What can be asked of objects by their ids, through a git folder of the runner's own. */
export class ObjectReader implements Objects {
  protected readonly at: (options?: Partial<GitOptions>) => GitOptions

  constructor(at: (options?: Partial<GitOptions>) => GitOptions) {
    this.at = at
  }

  async has(commit: string): Promise<boolean> {
    return gitLine(['cat-file', '-t', checkedId(commit)], this.at()).then(
      (kind) => kind === 'commit',
      () => false,
    )
  }

  async readFile(commit: string, file: string): Promise<Buffer | null> {
    const listed = await git(['ls-tree', '-z', '--full-tree', checkedId(commit), '--', file], this.at())
    const entry = entriesIn(listed)[0]
    if (!entry?.mode.startsWith('100') || entry.path !== file) return null
    return git(['cat-file', 'blob', checkedId(entry.blob)], this.at())
  }

  async changes(base: string, tree: string, { withFolders = false } = {}): Promise<Change[]> {
    const raw = ['diff-tree', '-r', ...(withFolders ? ['-t'] : []), '-z', '--no-renames', '--raw', ...asItIs]
    return changesIn(await git([...raw, checkedId(base), checkedId(tree), '--'], this.at()))
  }

  async counts(base: string, tree: string): Promise<Counts[]> {
    const flags = ['-r', '-z', '--no-renames', '--numstat', ...asItIs]
    const printed = await git(['diff-tree', ...flags, checkedId(base), checkedId(tree), '--'], this.at())
    return fieldsOf(printed).map((line) => {
      const [additions, deletions, ...rest] = line.split('\t')
      return { path: rest.join('\t'), additions: numberOf(additions!), deletions: numberOf(deletions!) }
    })
  }

  async entries(tree: string, { withFolders = false } = {}): Promise<Entry[]> {
    const flags = ['-r', ...(withFolders ? ['-t'] : []), '-z', '--full-tree']
    return entriesIn(await git(['ls-tree', ...flags, checkedId(tree)], this.at()))
  }

  async sizes(blobs: string[]): Promise<Map<string, number>> {
    if (blobs.length === 0) return new Map()
    const input = blobs.map((blob) => `${checkedId(blob)}\n`).join('')
    const printed = await gitLine(
      ['cat-file', '--batch-check=%(objectname) %(objectsize)'],
      this.at({ input }),
    )
    const lines = printed.split('\n').map((line) => line.split(' '))
    return new Map(
      lines.flatMap(([id, size]) => (/^\d+$/.test(size ?? '') ? [[id!, Number(size)] as const] : [])),
    )
  }

  async readBlobs(blobs: string[], maxBytes: number): Promise<Map<string, Buffer>> {
    const sizes = await this.sizes(blobs)
    const small = [...sizes.keys()].filter((blob) => sizes.get(blob)! <= maxBytes)
    const input = small.map((blob) => `${blob}\n`).join('')
    const maxAll = small.reduce((sum, blob) => sum + sizes.get(blob)! + 200, 0)
    const printed = await git(['cat-file', '--batch'], this.at({ input, maxBytes: maxAll }))
    const found = new Map<string, Buffer>()
    let at = 0
    for (const blob of small) {
      const start = printed.indexOf('\n', at) + 1
      at = start + sizes.get(blob)!
      found.set(blob, printed.subarray(start, at))
      at += 1
    }
    return found
  }

  async diff(base: string, head: string): Promise<string> {
    const flags = ['-r', '-p', '-M', '--no-color', ...asItIs, '--src-prefix=a/', '--dst-prefix=b/']
    const printed = await git(
      ['diff-tree', ...flags, checkedId(base), checkedId(head), '--'],
      this.at({ maxBytes: mostOfADiff, cuts: true }),
    )
    const text = printed.toString()
    return printed.length < mostOfADiff ? text : `${text}\n… cut here: the diff is longer than this\n`
  }

  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    return git(['merge-base', '--is-ancestor', checkedId(ancestor), checkedId(commit)], this.at()).then(
      () => true,
      (error) => {
        if (error instanceof GitError) return false
        throw error
      },
    )
  }

  async parentOf(commit: string): Promise<string | null> {
    const args = ['rev-list', '--parents', '--max-count=1', checkedId(commit), '--']
    const [, parent] = (await gitLine(args, this.at())).split(' ')
    return parent ? checkedId(parent) : null
  }

  async mergeBase(one: string, other: string): Promise<string | null> {
    return gitLine(['merge-base', checkedId(one), checkedId(other)], this.at()).catch((error) => {
      if (error instanceof GitError) return null
      throw error
    })
  }
}

const fieldsOf = (printed: Buffer): string[] => printed.toString().split('\0').slice(0, -1)

const numberOf = (text: string) => (text === '-' ? null : Number(text))

const entriesIn = (printed: Buffer): Entry[] =>
  fieldsOf(printed).map((line) => {
    const tab = line.indexOf('\t')
    const [mode, , blob] = line.slice(0, tab).split(' ')
    return { path: line.slice(tab + 1), mode: mode!, blob: blob! }
  })

const statuses = { A: 'added', D: 'deleted', M: 'modified', T: 'type' } as const

function changesIn(printed: Buffer): Change[] {
  const fields = fieldsOf(printed)
  return fields.flatMap((field, at) => {
    if (at % 2 === 1) return []
    const [before, after, blobBefore, blobAfter, letter] = field.slice(1).split(' ')
    const status = statuses[letter as keyof typeof statuses]
    if (!status) throw new Error(`Git says ${JSON.stringify(field)} of a change, which is not understood.`)
    return [
      {
        path: fields[at + 1]!,
        status,
        mode: { before: before!, after: after! },
        blob: { before: blobBefore!, after: blobAfter! },
      },
    ]
  })
}
