import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { formatImageName, type ImageName } from '@signalbox/contract/image.ts'
import { asksFor } from '@signalbox/contract/remedy.ts'
import { anyRecordOf } from '@signalbox/contract/shapes.ts'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Box } from '../box/box.ts'
import type { HostPrograms } from '../box/host-programs.ts'
import { type ImageRoot, imageMounts, TooManyNames } from '../box/image-root.ts'
import { tailOf } from '../box/tail.ts'
import { withImage } from '../box/with-image.ts'
import { HeldFolder } from '../disk/held-folder.ts'
import type { Trash } from '../disk/trash.ts'
import { type Podman, PodmanError } from './podman.ts'

/** The image cannot be used; the message says why, and what helps. */
export class ImageError extends Error {
  /** Trying again may help: a registry was away, or there was no room. */
  readonly isPassing: boolean

  constructor(message: string, isPassing = false) {
    super(message)
    this.isPassing = isPassing
  }
}

/** Where images come from that most people use. */
export const usualImageRegistries = [
  ...['docker.io', 'ghcr.io', 'quay.io', 'mcr.microsoft.com', 'public.ecr.aws', 'gcr.io'],
  ...['registry.gitlab.com', 'registry.access.redhat.com', 'registry.fedoraproject.org'],
]

export interface ImagesOptions {
  /** Of the runner's own: what podman keeps, the unpacked images, and what is known of each. */
  folder: string
  podman: Pick<Podman, 'run'>
  /** What images are tried in. */
  box: Box
  brought: HostPrograms
  trash: Pick<Trash, 'put'>
  /** Hosts that an image may come from. */
  registries: readonly string[]
  /** What one image may take on the disk, and all of them together. */
  quotaBytes: number
  now(): Date
}

/** What is written down beside an unpacked image. */
const Known = Type.Object({
  name: Type.String(),
  digest: Type.String(),
  /** By which podman knows it. */
  id: Type.String(),
  environment: anyRecordOf(Type.String()),
  bytes: Type.Number(),
})
type Known = Static<typeof Known>

const Inspected = Type.Array(
  Type.Object({
    Digest: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
    Size: Type.Number(),
    Os: Type.Optional(Type.String()),
    Config: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.Object({ Env: Type.Optional(Type.Union([Type.Null(), Type.Array(Type.String())])) }),
      ]),
    ),
  }),
  { minItems: 1 },
)

const minute = 60_000
const day = 24 * 60 * minute
/** A tag is asked for again after so long: until then the work of a run finds what it began with. */
const tagKnownMs = 60 * minute
const pullMs = 30 * minute
const unpackMs = 20 * minute
const unusedMs = 14 * day
const mostFiles = 2_000_000

/**
 * Copies what the image holds, without owners, without what is no file, folder or link, and without any right to become
 * someone else.
 */
const unpack = `
from=$(podman image mount "$1")
names=$(find "$from" -xdev | head -n $(($3 + 1)) | wc -l)
if [ "$names" -gt "$3" ]; then echo "It holds more than $3 files." >&2; exit 1; fi
mkdir "$2"
find "$from" -xdev ! -type d ! -type f ! -type l > /tmp/others
cp -R -P --preserve=mode,timestamps,links "$from/." "$2/" || [ -s /tmp/others ]
podman image unmount "$1" > /dev/null
chmod -R u+rwX,ug-s,o-t "$2"
find "$2" ! -type d ! -type f ! -type l -delete
`

/**
 * Images by their digests, unpacked: what a box has in the place of the machine's programs. Everything of them was
 * written by strangers. Pulling and unpacking happen in podman's box; from then on the files are never written to,
 * boxes are shown them read-only, and the runner itself looks at none but through a held folder.
 */
export class Images {
  readonly #options: ImagesOptions
  /** What tags meant when they were last asked for. */
  readonly #tags = new Map<string, { digest: string; at: number }>()
  /** Orders that want the same image wait for one pull. */
  readonly #opening = new Map<string, Promise<Known>>()

  constructor(options: ImagesOptions) {
    this.#options = options
  }

  /** The image, here and ready to be worked in. `environment` is what is set in it. */
  async open(
    image: ImageName,
    { environment = {}, cancelled }: { environment?: Record<string, string>; cancelled?: AbortSignal } = {},
  ): Promise<ImageRoot> {
    const { registries } = this.#options
    if (!registries.includes(image.registry))
      throw new ImageError(
        `The image ${formatImageName(image)} comes from ${image.registry}, which this runner does not use. ${asksFor('--image-registries', image.registry)}`,
      )
    const wanted = formatImageName(image)
    const opening =
      this.#opening.get(wanted) ?? this.#find(image, cancelled).finally(() => this.#opening.delete(wanted))
    this.#opening.set(wanted, opening)
    const known = await opening
    await this.#touch(known.digest)
    return this.#rootOf({ ...known, environment: { ...known.environment, ...environment } })
  }

  /** Removes what was not used for long, and then the oldest until the rest fits the limit. */
  async tidy(): Promise<void> {
    const now = this.#options.now().getTime()
    const kept = (await this.#kept()).sort((a, b) => b.usedAt - a.usedAt)
    let bytes = 0
    for (const { known, usedAt } of kept) {
      // podman keeps one, and one is unpacked.
      bytes += 2 * known.bytes
      const isIdle = now - usedAt > day
      if (now - usedAt > unusedMs || (isIdle && bytes > this.#options.quotaBytes)) await this.#remove(known)
    }
    const names = new Set(kept.map(({ known }) => folderOf(known.digest)))
    for (const name of await readdir(this.#at('roots')).catch((): string[] => []))
      if (!names.has(name) && this.#opening.size === 0) await this.#options.trash.put(this.#at('roots', name))
  }

  async #find(image: ImageName, cancelled: AbortSignal | undefined): Promise<Known> {
    const wanted = formatImageName(image)
    const digest = image.digest ?? this.#knownDigest(wanted)
    const known = digest === null ? null : await this.#read(digest)
    if (known) return known
    const pulled = await this.#pull(image, cancelled)
    if (image.digest === null)
      this.#tags.set(wanted, { digest: pulled.digest, at: this.#options.now().getTime() })
    const found = await this.#read(pulled.digest)
    if (found) return found
    await this.#unpack(pulled, cancelled)
    await this.#refuseUnfit(pulled)
    await writeFile(this.#fileOf(pulled.digest), JSON.stringify(pulled))
    return pulled
  }

  #knownDigest(wanted: string): string | null {
    const tag = this.#tags.get(wanted)
    return tag && this.#options.now().getTime() - tag.at < tagKnownMs ? tag.digest : null
  }

  async #pull(image: ImageName, cancelled: AbortSignal | undefined): Promise<Known> {
    const { podman, quotaBytes } = this.#options
    const bounds = { mostBytes: quotaBytes, longestMs: pullMs, ...(cancelled ? { cancelled } : {}) }
    const name = formatImageName(image)
    const id = await podman
      .run('podman pull --quiet "docker://$1"', [name], bounds)
      .catch(said(`The image ${name} could not be pulled`, true))
    const told = await podman
      .run('podman image inspect "$1"', [lastLine(id)], bounds)
      .catch(said(`The image ${name} could not be inspected`, true))
    const [about] = Value.Parse(Inspected, JSON.parse(told))
    if (about!.Os && about!.Os !== 'linux')
      throw new ImageError(`The image ${name} is made for ${about!.Os}, not for Linux.`)
    if (about!.Size > quotaBytes)
      throw new ImageError(
        `The image ${name} is larger than the runner’s ${Math.round(quotaBytes / 1e9)} GB. Make it smaller. ${asksFor('--quota-gb', Math.round(quotaBytes / 1e9))}`,
      )
    const digest = image.digest ?? about!.Digest
    return {
      ...{ name: formatImageName({ ...image, digest }), digest, id: lastLine(id), bytes: about!.Size },
      environment: variablesIn(about!.Config?.Env ?? []),
    }
  }

  async #unpack({ id, digest, name }: Known, cancelled: AbortSignal | undefined): Promise<void> {
    const { podman, quotaBytes, trash } = this.#options
    const fresh = this.#at('roots', `new-${randomBytes(6).toString('hex')}`)
    const bounds = { mostBytes: quotaBytes, longestMs: unpackMs, ...(cancelled ? { cancelled } : {}) }
    try {
      await podman
        .run(unpack, [id, fresh, String(mostFiles)], bounds)
        .catch(said(`The image ${name} could not be unpacked`, false))
      using roots = HeldFolder.open(this.#at('roots'))
      roots.rename(path.basename(fresh), folderOf(digest))
    } finally {
      await trash.put(fresh)
    }
  }

  /** What no agent could work in is refused now, with what helps, and not by whatever an agent says of it later. */
  async #refuseUnfit(known: Known): Promise<void> {
    const root = this.#rootOf(known)
    const trial = this.#at('trial')
    try {
      imageMounts(root.folder, ['/proc', '/dev', '/tmp', '/run', trial])
    } catch (error) {
      if (error instanceof TooManyNames)
        throw new ImageError(`The image ${known.name} can’t be used. ${error.message}`)
      throw error
    }
    await mkdir(trial, { recursive: true })
    for (const [command, what] of [
      [['sh', '-c', 'true'], 'has no shell (`sh`) that runs here'],
      [
        [process.execPath, '--version'],
        'can’t run the runner’s Node, which agents need: it lacks the C and C++ libraries of glibc, as Alpine does, or has older ones',
      ],
    ] as const) {
      const errors = await this.#tried(root, [...command], trial)
      if (errors !== null)
        throw new ImageError(
          `The image ${known.name} ${what}. Use one based on Debian, Ubuntu, Fedora or similar. ${errors}`.trim(),
        )
    }
  }

  /** Null: it worked. */
  async #tried(root: ImageRoot, command: string[], trial: string): Promise<string | null> {
    const boxed = withImage(this.#options.box, root).start(command, {
      ...{ worktree: trial, home: trial, out: null, readable: [], denied: [], environment: {} },
      ...{ gateway: null, network: 'none' },
    })
    const timer = setTimeout(() => void boxed.end(0), minute)
    boxed.stdin.end()
    boxed.stdout.resume()
    const errors = tailOf(boxed.stderr, 500)
    const { code } = await boxed.ended
    clearTimeout(timer)
    return code === 0 ? null : errors()
  }

  #rootOf({ name, digest, environment }: Known): ImageRoot {
    return {
      ...{ name, environment, brought: this.#options.brought },
      folder: this.#at('roots', folderOf(digest)),
    }
  }

  async #kept(): Promise<{ known: Known; usedAt: number }[]> {
    const kept: { known: Known; usedAt: number }[] = []
    for (const file of await readdir(this.#options.folder).catch((): string[] => [])) {
      const known = file.endsWith('.json') ? await this.#readFile(this.#at(file)) : null
      if (known) kept.push({ known, usedAt: (await stat(this.#at(file))).mtimeMs })
    }
    return kept
  }

  async #remove({ digest, id }: Known): Promise<void> {
    await rm(this.#fileOf(digest), { force: true })
    await this.#options.trash.put(this.#at('roots', folderOf(digest)))
    const bounds = { mostBytes: Number.POSITIVE_INFINITY, longestMs: 5 * minute }
    await this.#options.podman.run('podman rmi --force "$1"', [id], bounds).catch(() => {})
  }

  async #touch(digest: string): Promise<void> {
    const now = this.#options.now()
    await utimes(this.#fileOf(digest), now, now).catch(() => {})
  }

  #read = (digest: string) => this.#readFile(this.#fileOf(digest))

  async #readFile(file: string): Promise<Known | null> {
    try {
      const known = JSON.parse(await readFile(file, 'utf8'))
      return Value.Check(Known, known) ? known : null
    } catch {
      return null
    }
  }

  #fileOf = (digest: string) => this.#at(`${folderOf(digest)}.json`)
  #at = (...names: string[]) => path.join(this.#options.folder, ...names)
}

const folderOf = (digest: string) => digest.replace(':', '-')

const lastLine = (text: string) => text.trim().split('\n').at(-1)!

const said =
  (what: string, isPassing: boolean) =>
  (error: unknown): never => {
    if (!(error instanceof PodmanError)) throw error
    // The same image would give the same archive again.
    const isBroken = /processing tar file|manifest unknown|name unknown/i.test(error.message)
    throw new ImageError(`${what}: ${error.message}`, isPassing && !isBroken)
  }

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

const variablesIn = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.flatMap((line): [string, string][] => {
      const [name, value] = line.split(/=(.*)/s)
      return variableName.test(name!) && value !== undefined && !value.includes('\0') ? [[name!, value]] : []
    }),
  )
