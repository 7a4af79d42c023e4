import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { findProgram } from '../agents/installed.ts'
import { parseLdd } from '../box/host-programs.ts'

/** The files of a small image, made of a handful of this machine's programs with their libraries. */
export function makeRoot(
  folder: string,
  programs: readonly string[] = ['sh', 'cat', 'ls', 'id', 'env', 'cp', 'mkdir'],
) {
  for (const name of ['usr/bin', 'etc', 'var/lib', 'home', 'root', 'tmp'])
    mkdirSync(path.join(folder, name), { recursive: true })
  symlinkSync('usr/bin', path.join(folder, 'bin'))
  const wanted = [...programs.map((name) => [name, findProgram(name, '/usr/bin:/bin')!] as const)]
  for (const [name, file] of wanted) {
    copyFileSync(realpathSync(file), path.join(folder, 'usr/bin', name))
    for (const library of librariesOf(file)) bringFile(folder, library)
  }
  // What the runner's Node needs, as any image of a usual distribution has it.
  for (const library of librariesOf(process.execPath)) bringFile(folder, library)
  writeFileSync(path.join(folder, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n')
  writeFileSync(path.join(folder, 'etc/group'), 'root:x:0:\n')
  writeFileSync(path.join(folder, 'etc/in-the-image'), 'yes\n')
  return folder
}

function librariesOf(program: string): string[] {
  const needs = parseLdd(execFileSync('ldd', [program], { encoding: 'utf8' }))!
  return [...needs.libraries, ...(needs.loader ? [needs.loader] : [])]
}

function bringFile(folder: string, file: string): void {
  const to = path.join(folder, file)
  if (existsSync(to)) return
  mkdirSync(path.dirname(to), { recursive: true })
  cpSync(realpathSync(file), to)
}

export const tarOf = (folder: string): Buffer =>
  execFileSync('tar', ['-C', folder, '-c', '.'], { maxBuffer: 2 ** 30 })

/** One entry of an archive, however hostile. */
export interface Entry {
  name: string
  /** As tar numbers them: a file, a hard link, a link, a device, a folder, a pipe. */
  type?: '0' | '1' | '2' | '3' | '5' | '6'
  link?: string
  content?: string
  mode?: number
}

/** An archive of entries as they are told, which no tool would write. */
export function tarWith(entries: readonly Entry[], before: Buffer = Buffer.alloc(0)): Buffer {
  const blocks = entries.flatMap(({ name, type = '0', link = '', content = '', mode = 0o755 }) => {
    const header = Buffer.alloc(512)
    header.write(name, 0, 100)
    header.write(`${mode.toString(8).padStart(7, '0')}\0${'0'.repeat(7)}\0${'0'.repeat(7)}\0`, 100)
    header.write(`${content.length.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`, 124)
    header.write(`        ${type}`, 148)
    header.write(link, 157, 100)
    header.write(`ustar\u000000`, 257)
    if (type === '3') header.write(`${'1'.padStart(7, '0')}\0${'3'.padStart(7, '0')}\0`, 329)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, Buffer.from(content.padEnd(Math.ceil(content.length / 512) * 512, '\0'))]
  })
  // What an archive ends with would end it here.
  const whole = before.subarray(0, endOf(before))
  return Buffer.concat([whole, ...blocks, Buffer.alloc(1024)])
}

function endOf(archive: Buffer): number {
  let end = archive.length
  while (end >= 512 && archive.subarray(end - 512, end).every((byte) => byte === 0)) end -= 512
  return end
}

const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/**
 * A registry of images on this machine, as far as someone who pulls can tell: manifests by tag or digest, and blobs by
 * digest. It counts what was asked of it.
 */
export class Registry {
  readonly #server: http.Server
  readonly #blobs = new Map<string, { type: string; bytes: Buffer }>()
  readonly #tags = new Map<string, string>()
  readonly asked: string[] = []

  static async open(t: { after(done: () => void): void }): Promise<Registry> {
    const registry = new Registry()
    registry.#server.listen(0, '127.0.0.1')
    await new Promise((resolve) => registry.#server.once('listening', resolve))
    t.after(() => registry.#server.close())
    return registry
  }

  private constructor() {
    this.#server = http.createServer((request, response) => {
      this.asked.push(`${request.method} ${request.url}`)
      const [, name, kind, which] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(request.url ?? '') ?? []
      if (request.url === '/v2/') return void response.end('{}')
      const digest = kind === 'manifests' ? (this.#tags.get(`${name}:${which}`) ?? which) : which
      const found = this.#blobs.get(digest ?? '')
      if (!found) return void response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}')
      response.writeHead(200, {
        'content-type': found.type,
        'content-length': found.bytes.length,
        'docker-content-digest': digest!,
      })
      response.end(request.method === 'HEAD' ? undefined : found.bytes)
    })
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The digest under which it can be had. */
  push(name: string, layer: Buffer, { env = [] as string[], os = 'linux' } = {}): string {
    const packed = gzipSync(layer, { level: 1 })
    const config = Buffer.from(
      JSON.stringify({
        ...{ architecture: process.arch === 'arm64' ? 'arm64' : 'amd64', os, config: { Env: env } },
        rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
      }),
    )
    const types = 'application/vnd.oci.image'
    const described = (bytes: Buffer, mediaType: string) => ({
      ...{ mediaType, digest: digestOf(bytes), size: bytes.length },
    })
    const manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: `${types}.manifest.v1+json`,
        config: described(config, `${types}.config.v1+json`),
        layers: [described(packed, `${types}.layer.v1.tar+gzip`)],
      }),
    )
    for (const bytes of [packed, config])
      this.#blobs.set(digestOf(bytes), { type: 'application/octet-stream', bytes })
    this.#blobs.set(digestOf(manifest), { type: `${types}.manifest.v1+json`, bytes: manifest })
    this.#tags.set(name, digestOf(manifest))
    return digestOf(manifest)
  }

  /** What tells podman that this one speaks plain HTTP. */
  settings(folder: string): string {
    const file = path.join(folder, 'registries.conf')
    writeFileSync(file, `[[registry]]\nlocation = "${this.host}"\ninsecure = true\n`)
    return file
  }
}
