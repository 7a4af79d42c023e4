import { BundledObjects, Incomplete, type Inventory, TooMuch } from './bundled-objects.ts'
import { GitGaveUp, limitedGit } from './limited-git.ts'

const most = {
  objects: 200_000,
  /** Of everything, unpacked. */
  bytes: 500_000_000,
  /** Of what is read into memory to find out what changed. */
  treeBytes: 20_000_000,
}

class Refused extends Error {}

export const tooMuch =
  'The work is larger than the server can unpack. Keep generated and large files out of the repository, or split the story.'
const older =
  'The work can’t be read on its own: the runner that made it is older than this server. Upgrade the runner.'

/** A sentence for people; null: the fault is not the bundle's. */
export function whyUnreadable(error: unknown): string | null {
  if (error instanceof Refused) return error.message
  if (error instanceof TooMuch) return tooMuch
  if (error instanceof Incomplete) return older
  if (!(error instanceof GitGaveUp)) return null
  return error.isOverLimit ? tooMuch : `The work can’t be unpacked: ${error.message.replace(/\s+/g, ' ')}`
}

export interface Opened {
  objects: BundledObjects
  tree: string
  commits: string[]
  outside: string[]
}

/** Unpacks a bundle into an empty folder, and sees that it is about the two commits. */
export async function openBundle(
  gitDir: string,
  bytes: Buffer,
  { base, head }: { base: string; head: string },
): Promise<Opened> {
  const pack = packIn(bytes, base, head)
  const format = head.length === 64 ? 'sha256' : 'sha1'
  const init = ['init', '--quiet', '--bare', '--template=', '--initial-branch=none']
  await limitedGit([...init, `--object-format=${format}`, gitDir], { gitDir })
  // Not `--strict`: of the base only what the change is measured against is there.
  const index = ['index-pack', '--stdin', '--fsck-objects', '--threads=1']
  await limitedGit(index, { gitDir, input: pack }).catch((error: Error) => {
    throw /unresolved delta/.test(error.message) ? new Refused(older) : error
  })
  const objects = await BundledObjects.open(gitDir, await inventoryOf(gitDir))
  return { objects, ...historyOf(objects, base, head), tree: objects.commit(head)!.tree }
}

const line = /^-?[0-9a-f]{40}(?:[0-9a-f]{24})?( |$)/

/** The pack, where the bundle says that it is about the two. */
function packIn(bytes: Buffer, base: string, head: string): Buffer {
  const end = Math.max(bytes.indexOf('\n\n'), 0)
  const [signature, ...lines] = bytes.toString('latin1', 0, Math.min(end, 1_000)).split('\n')
  const pack = bytes.subarray(end + 2)
  const isBundle =
    signature === '# v2 git bundle' &&
    lines.every((one) => line.test(one)) &&
    pack.length > 12 &&
    pack.toString('latin1', 0, 4) === 'PACK'
  if (!isBundle)
    throw new Refused('The work is not a git bundle that this server can read. Upgrade the runner.')
  const ids = lines.map((one) => one.split(' ')[0]).toSorted()
  if (ids.join() !== [`-${base}`, head].join())
    throw new Refused(`The work that was uploaded does not lead from ${short(base)} to ${short(head)}.`)
  if (pack.readUInt32BE(8) > most.objects) throw new TooMuch()
  return pack
}

/** What is there, before anything of it is read. */
async function inventoryOf(gitDir: string): Promise<Inventory> {
  const format = '--batch-check=%(objectname) %(objecttype) %(objectsize)'
  const printed = await limitedGit(['cat-file', '--batch-all-objects', format], { gitDir })
  const found = new Map<string, { type: string; size: number }>()
  let [all, trees] = [0, 0]
  for (const one of printed.toString('latin1').split('\n').filter(Boolean)) {
    const [name, type, size] = one.split(' ') as [string, string, string]
    found.set(name, { type, size: Number(size) })
    all += Number(size)
    if (type !== 'blob') trees += Number(size)
  }
  if (all > most.bytes || trees > most.treeBytes) throw new TooMuch()
  return found
}

/** Every commit between the two, all of which have to be in the bundle, and the parents outside it. */
function historyOf(objects: BundledObjects, base: string, head: string) {
  if (!objects.commit(head)) throw new Refused(`The work does not contain the commit ${short(head)}.`)
  if (!objects.commit(base)) throw new Refused(older)
  const commits = new Set<string>([head])
  const outside = new Set<string>()
  let isReached = false
  for (const commit of commits) {
    for (const parent of objects.commit(commit)!.parents) {
      if (parent === base) isReached = true
      else if (objects.commit(parent)) commits.add(parent)
      else outside.add(parent)
    }
  }
  if (!isReached || head === base)
    throw new Refused(
      'The history was rewritten: the work does not build on the commit that the run began from.',
    )
  return { commits: [...commits], outside: [...outside] }
}

const short = (commit: string) => commit.slice(0, 12)
