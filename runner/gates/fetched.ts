import type { Box } from '../box/box.ts'
import { tailOf } from '../box/tail.ts'
import { HeldFolder } from '../disk/held-folder.ts'

/**
 * Where package managers keep in a home what they have fetched, so that gates find it without a network. Nothing else of
 * the home in which a project was set up is shown to a gate: settings and start-up files of an interpreter, written by
 * whatever the set-up ran, would decide how it is measured.
 */
const fetched = [
  '.bundle/cache',
  '.cache/coursier',
  '.cache/pypoetry/virtualenvs',
  '.cargo/git',
  '.cargo/registry',
  '.gradle/caches',
  '.gradle/wrapper',
  '.ivy2/cache',
  '.local/share/gem',
  '.local/share/pnpm',
  '.local/share/uv',
  '.local/share/virtualenvs',
  '.m2/repository',
  '.m2/wrapper',
  '.nuget/packages',
  '.yarn/berry',
  'go/pkg/mod',
]

/** Copies what was fetched from one home to another, in a box: both hold what a project has written. */
export async function bringFetched(box: Box, from: string, to: string): Promise<void> {
  using prepared = HeldFolder.open(from)
  const there = fetched.filter((folder) => prepared.kind(folder) === 'folder')
  if (there.length === 0) return
  // A file system that can shares what is copied until one of the two writes to it.
  const copy =
    'mkdir -p "$to" && (cp -a --reflink=auto "$1/$folder/." "$to/" || cp -Rp "$1/$folder/." "$to/")'
  const lines = `for folder in ${there.join(' ')}; do to="./$folder"; ${copy} || exit 1; done`
  const boxed = box.start(['sh', '-c', lines, 'sh', from], {
    worktree: to,
    home: to,
    out: null,
    readable: [from],
    denied: [],
    environment: {},
    gateway: null,
    network: 'none',
  })
  boxed.stdin.end()
  boxed.stdout.resume()
  const errors = tailOf(boxed.stderr)
  const { code } = await boxed.ended
  if (code !== 0) throw new Error(`The packages of the set-up could not be copied: ${errors()}`)
}
