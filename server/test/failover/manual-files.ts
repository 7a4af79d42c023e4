import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { checkout, freePort } from '../upgrade/node-process.ts'

const page = path.join(checkout, 'docs', 'manual', 'high-availability.md')

/**
 * The files of the manual, which are the ones that run: each machine of theirs is a port of this one. What a reader
 * copies is what was tried.
 */
export class ManualFiles {
  readonly #page: string
  readonly #ports: Map<string, number>

  private constructor(text: string, ports: Map<string, number>) {
    this.#page = text
    this.#ports = ports
  }

  static async read(): Promise<ManualFiles> {
    const text = await readFile(page, 'utf8')
    const ports = new Map<string, number>()
    for (const [address] of text.matchAll(addresses))
      if (!ports.has(address)) ports.set(address, await freePort())
    return new ManualFiles(text, ports)
  }

  /** Where an address of the manual is here. */
  port(address: string): number {
    return this.#ports.get(address) ?? raise(`The manual has no ${address}.`)
  }

  /** The block that begins with these words, as it is used here. `changes` are the paths of this machine. */
  block(beginning: string, changes: Record<string, string> = {}): string {
    const found = [...this.#page.matchAll(blocks)].find(([, text]) => text!.startsWith(beginning))
    let text = found?.[1] ?? raise(`The manual has no file that begins with "${beginning}".`)
    for (const [from, to] of Object.entries(changes)) {
      if (!text.includes(from)) raise(`"${beginning}" does not have "${from}".`)
      text = text.replaceAll(from, to)
    }
    return text
      .replaceAll(addresses, (address) => `127.0.0.1:${this.port(address)}`)
      .replaceAll('10.0.0.0/24', '127.0.0.1/32')
  }
}

const addresses = /10\.0\.0\.\d+:\d+/g
const blocks = /^```\w*\n(.*?)^```$/gms

function raise(message: string): never {
  throw new Error(message)
}
