import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'

export type Kind = 'file' | 'folder' | 'link' | 'other'

/** What was found at a name: its bytes, or why there are none to be had. */
export type Found = { bytes: Buffer } | { none: 'missing' | 'link' | 'not a file' | 'too large' }

/** Linux: a handle that may be had of anything, whatever its mode, and that opens nothing. */
const pathOnly = 0x200000
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK } = constants

/** Where the system shows a process its handles; elsewhere, such as on macOS, names are all there is. */
const handles = existsSync('/proc/self/fd') ? '/proc/self/fd' : null

/**
 * A folder that an agent, a gate or a repository writes to, held by a handle. Everything in it is found from that
 * handle down, part by part, and no link is followed, neither at the end nor on the way: what looks like a file of the
 * run may be a link to a file of this machine, and may become one between a look and the next.
 *
 * Node has no `openat`. `/proc/self/fd/N/part` is the same to the kernel, costs no process, and lets a result be read
 * the moment it is there; a box would be started for every look. Where there is no `/proc` each part is still opened
 * without following it, but by its name, so there is a race. There is no box there either, and the record of the run
 * says so.
 */
export class HeldFolder implements Disposable {
  readonly #fd: number
  readonly #name: string

  private constructor(fd: number, name: string) {
    this.#fd = fd
    this.#name = name
  }

  /** The folder itself is the runner's; a link in its place is refused. */
  static open(folder: string): HeldFolder {
    return new HeldFolder(openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), folder)
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd)
  }

  kind(name: string): Kind | null {
    return this.#beside(name, (folder, last) => folder.#kindOf(last)) ?? null
  }

  read(name: string, maxBytes: number): Found {
    return this.#beside(name, (folder, last) => folder.#readPart(last, maxBytes)) ?? { none: 'missing' }
  }

  /** Where a link leads, as it says itself; null: it is none, or says it in no UTF-8. */
  target(name: string): string | null {
    const found = this.#beside(name, (folder, last) =>
      tried(() => readlinkSync(folder.#at(last), { encoding: 'buffer' })),
    )
    const text = found?.toString()
    return found && text && Buffer.from(text).equals(found) ? text : null
  }

  /** Puts a file there as it is. Whatever was in its place, or in the place of a folder on the way, is gone. */
  write(name: string, content: string | Buffer, mode = 0o600): void {
    this.#solid(name, (folder, last) => {
      folder.#removePart(last)
      const fd = openSync(folder.#at(last), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
      try {
        const bytes = Buffer.from(content)
        for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
      } finally {
        closeSync(fd)
      }
    })
  }

  /** A folder all the way down; whatever else stood there is gone. */
  makeFolder(name: string): void {
    this.#solid(name, (folder, last) => folder.#makePart(last))
  }

  /** With everything in it. A link is removed, not what it leads to. */
  remove(name: string): void {
    this.#beside(name, (folder, last) => folder.#removePart(last))
  }

  /** Within one folder, where nothing stands at the new name. */
  rename(name: string, to: string): void {
    const last = partsOf(to)?.at(-1)
    this.#beside(name, (folder, from) => {
      if (last && folder.#kindOf(last) === null) renameSync(folder.#at(from), folder.#at(last))
    })
  }

  /** Takes something out of this folder, to a place of the runner's own on the same disk. */
  moveOut(name: string, to: string): void {
    this.#beside(name, (folder, last) => {
      const kind = folder.#kindOf(last)
      if (kind === null) return
      // A folder says where it is, so it has to be ours to write before it is moved.
      if (kind === 'folder') folder.#open(last)
      renameSync(folder.#at(last), to)
    })
  }

  /** What lies in a folder, by name. Names that are no UTF-8 cannot be asked for, and are left out. */
  list(name = '.'): { name: string; kind: Kind }[] {
    return this.within(name, (folder) => folder.#list()) ?? []
  }

  /** In a folder below this one; undefined where there is none. */
  within<T>(name: string, use: (folder: HeldFolder) => T): T | undefined {
    if (name === '.') return use(this)
    return this.#beside(name, (folder, last) => folder.#into(last, use))
  }

  /** Everything below, folders before what is in them, as far as `folders` of them go and `into` leads. */
  *walk({ folders, into = () => true }: { folders: number; into?: (folder: string) => boolean }) {
    const ahead = ['.']
    for (let seen = 0; seen < folders; seen += 1) {
      const below = ahead.shift()
      if (below === undefined) return
      for (const { name, kind } of this.list(below)) {
        const found = { path: path.posix.join(below, name), kind }
        yield found
        if (kind === 'folder' && into(found.path)) ahead.push(found.path)
      }
    }
  }

  #list(): { name: string; kind: Kind }[] {
    const names = readdirSync(this.#at(), { encoding: 'buffer' }).flatMap((bytes) => {
      const text = bytes.toString()
      return Buffer.from(text).equals(bytes) ? [text] : []
    })
    return names.sort().flatMap((name) => {
      const kind = this.#kindOf(name)
      return kind === null ? [] : [{ name, kind }]
    })
  }

  /** Where something in this folder is, to a call that does not follow a link at the end. */
  #at(part?: string | Buffer): string | Buffer {
    const here = handles ? `${handles}/${this.#fd}` : this.#name
    if (part === undefined) return here
    return typeof part === 'string' ? `${here}/${part}` : Buffer.concat([Buffer.from(`${here}/`), part])
  }

  /** In the folder that holds the last part of a name; undefined where there is no such folder. */
  #beside<T>(name: string, use: (folder: HeldFolder, last: string) => T): T | undefined {
    const [first, ...rest] = partsOf(name) ?? []
    if (first === undefined) return undefined
    if (rest.length === 0) return use(this, first)
    return this.#into(first, (folder) => folder.#beside(rest.join('/'), use))
  }

  /** The same, with folders made where there are none. */
  #solid(name: string, use: (folder: HeldFolder, last: string) => void): void {
    const [first, ...rest] = partsOf(name) ?? []
    if (first === undefined) throw new Error(`${JSON.stringify(name)} is not the name of a file in a folder.`)
    if (rest.length === 0) {
      use(this, first)
      return
    }
    this.#makePart(first)
    this.#into(first, (folder) => folder.#solid(rest.join('/'), use))
  }

  #into<T>(part: string | Buffer, use: (folder: HeldFolder) => T): T | undefined {
    const fd = tried(() => openSync(this.#at(part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
    if (fd === undefined) return undefined
    using folder = new HeldFolder(fd, path.join(this.#name, part.toString()))
    return use(folder)
  }

  #kindOf(part: string | Buffer): Kind | null {
    const found = tried(() => lstatSync(this.#at(part)))
    return found ? kindOf(found) : null
  }

  #readPart(part: string, maxBytes: number): Found {
    const kind = this.#kindOf(part)
    if (kind !== 'file') return { none: kind === null ? 'missing' : kind === 'link' ? 'link' : 'not a file' }
    // Not to wait at a pipe that has taken its place.
    const fd = tried(() => openSync(this.#at(part), O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
    if (fd === undefined) return { none: 'missing' }
    try {
      const found = fstatSync(fd)
      if (!found.isFile()) return { none: 'not a file' }
      if (found.size > maxBytes) return { none: 'too large' }
      const bytes = Buffer.alloc(found.size)
      let done = 0
      for (let more = 1; more > 0 && done < bytes.length; done += more)
        more = readSync(fd, bytes, done, bytes.length - done, done)
      return { bytes: bytes.subarray(0, done) }
    } finally {
      closeSync(fd)
    }
  }

  #makePart(part: string): void {
    if (this.#kindOf(part) === 'folder') {
      this.#open(part)
      return
    }
    this.#removePart(part)
    mkdirSync(this.#at(part), 0o700)
  }

  #removePart(part: string | Buffer): void {
    const kind = this.#kindOf(part)
    if (kind === null) return
    if (kind !== 'folder') {
      unlinkSync(this.#at(part))
      return
    }
    this.#open(part)
    this.#into(part, (folder) => {
      for (const name of readdirSync(folder.#at(), { encoding: 'buffer' })) folder.#removePart(name)
    })
    rmdirSync(this.#at(part))
  }

  /** Restores our access to a folder, no matter who removed it. By a handle: the name may be a link by now. */
  #open(part: string | Buffer): void {
    if (!handles) {
      tried(() => chmodSync(this.#at(part), 0o700))
      return
    }
    const fd = tried(() => openSync(this.#at(part), pathOnly | O_DIRECTORY | O_NOFOLLOW))
    if (fd === undefined) return
    try {
      if ((fstatSync(fd).mode & 0o700) !== 0o700) tried(() => chmodSync(`${handles}/${fd}`, 0o700))
    } finally {
      closeSync(fd)
    }
  }
}

/** What someone else is free to change under our hands is there or it is not. */
function tried<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

const kindOf = (found: Stats): Kind =>
  found.isFile() ? 'file' : found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other'

/** A name from outside leads down and nowhere else; null: it does not. */
function partsOf(name: string): string[] | null {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  const isSound = parts.length > 0 && !name.startsWith('/') && !name.includes('\0') && !parts.includes('..')
  return isSound ? parts : null
}
