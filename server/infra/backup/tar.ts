/** A file in an archive. Whole in memory: the writer cuts what is long into several. */
export interface TarEntry {
  name: string
  bytes: Buffer
}

const block = 512
const longestName = 99
/** What one entry may hold. More is no archive of ours, and would be read into memory. */
const mostEntryBytes = 64 * 1024 * 1024

/**
 * An archive as POSIX defines it (ustar), so that what we wrote can be opened without us. Sizes stand before the
 * content, which is why an entry is a buffer.
 */
export async function* tarOf(entries: AsyncIterable<TarEntry> | Iterable<TarEntry>): AsyncGenerator<Buffer> {
  for await (const { name, bytes } of entries) {
    yield headerOf(name, bytes.length)
    if (bytes.length > 0) yield bytes
    if (paddingAfter(bytes.length) > 0) yield Buffer.alloc(paddingAfter(bytes.length))
  }
  yield Buffer.alloc(2 * block)
}

/** The files in an archive, one at a time. Throws on what is no archive, or ends before its end. */
export async function* tarEntriesIn(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(source)
  for (;;) {
    const header = await bytes.take(block)
    if (header.every((byte) => byte === 0)) break
    const { name, size } = readHeader(header)
    const content = await bytes.take(size)
    await bytes.take(paddingAfter(size))
    yield { name, bytes: content }
  }
  // The caller that delivers it checks what follows, too.
  for await (const _ of bytes.rest());
}

export class BrokenArchive extends Error {}

const paddingAfter = (size: number) => (block - (size % block)) % block

function headerOf(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > longestName || size > mostEntryBytes)
    throw new Error(`An archive cannot hold ${name} with ${size} bytes.`)
  const header = Buffer.alloc(block)
  const put = (text: string, at: number) => void header.write(text, at, 'latin1')
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  header.write(name, 0, 'utf8')
  put('0000600\0', 100)
  put('0000000\0', 108)
  put('0000000\0', 116)
  put(`${octal(size, 11)}\0`, 124)
  put(`${octal(0, 11)}\0`, 136)
  put('0', 156)
  put('ustar\x0000', 257)
  put(`${octal(checksumOf(header), 6)}\0 `, 148)
  return header
}

function readHeader(header: Buffer): { name: string; size: number } {
  const text = (from: number, to: number) => header.toString('utf8', from, to).split('\0')[0]!.trim()
  const size = Number.parseInt(text(124, 136), 8)
  const isOurs =
    text(257, 263) === 'ustar' && Number.parseInt(text(148, 156), 8) === checksumOf(header) && size >= 0
  if (!isOurs || size > mostEntryBytes)
    throw new BrokenArchive('The backup is damaged: an entry of it cannot be read.')
  return { name: text(0, 100), size }
}

/** The sum of the header's bytes, with blanks where the sum itself stands. */
function checksumOf(header: Buffer): number {
  const sum = header.reduce((total, byte) => total + byte, 0)
  return sum - header.subarray(148, 156).reduce((total, byte) => total + byte, 0) + 8 * 32
}

/** Takes as many bytes of a stream as are wanted, however it was cut. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  #parts: Buffer[] = []
  #held = 0

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async take(size: number): Promise<Buffer> {
    const bytes = await this.takeUpTo(size)
    if (bytes.length < size)
      throw new BrokenArchive('The backup is cut short: it ends in the middle of an entry.')
    return bytes
  }

  /** Fewer only where the stream ends. */
  async takeUpTo(size: number): Promise<Buffer> {
    while (this.#held < size) {
      const next = await this.#source.next()
      if (next.done) break
      this.#parts.push(next.value)
      this.#held += next.value.length
    }
    const all = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    this.#parts = all.length > size ? [all.subarray(size)] : []
    this.#held = Math.max(0, all.length - size)
    return all.subarray(0, size)
  }

  /** What is left, as it was cut. */
  async *rest(): AsyncGenerator<Buffer> {
    yield* this.#parts.splice(0)
    for (;;) {
      const next = await this.#source.next()
      if (next.done) return
      yield next.value
    }
  }
}
