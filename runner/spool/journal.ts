import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs'

/** Where a record is in the file, or the record itself while the disk would not take it. */
type Place = { offset: number; length: number } | { text: string }

/**
 * Records on disk, one JSON text a line, only ever added to. A line that a crash has torn is cut off when it is opened.
 * When the disk is full the record is kept in memory and written as soon as that works.
 */
export class Journal<T> {
  readonly #file: string
  #openHandle: number | null
  readonly #isSynced: boolean
  readonly #places: Place[] = []
  #end: number
  #unwritten = 0

  constructor(file: string, { isSynced }: { isSynced: boolean }) {
    this.#file = file
    this.#openHandle = openSync(file, 'a+', 0o600)
    this.#isSynced = isSynced
    this.#end = this.#readAll()
  }

  get length(): number {
    return this.#places.length
  }

  /** Whether something waits in memory because the disk would not take it. */
  get isStuck(): boolean {
    return this.#unwritten > 0
  }

  add(record: T): void {
    this.#places.push({ text: `${JSON.stringify(record)}\n` })
    this.#unwritten += 1
    this.flush()
  }

  /** Tries to write what the disk would not take before. */
  flush(): void {
    try {
      while (this.#unwritten > 0) {
        const at = this.#places.length - this.#unwritten
        this.#places[at] = this.#write((this.#places[at] as { text: string }).text)
        this.#unwritten -= 1
      }
    } catch (error) {
      if (!isDiskTrouble(error)) throw error
    }
  }

  at(index: number): T {
    const place = this.#places[index]!
    if ('text' in place) return JSON.parse(place.text)
    const bytes = Buffer.alloc(place.length)
    readSync(this.#handle, bytes, 0, place.length, place.offset)
    return JSON.parse(bytes.toString())
  }

  close(): void {
    if (this.#openHandle !== null) closeSync(this.#openHandle)
    this.#openHandle = null
  }

  /** The system gives the number of a closed file to the next one: a late line would be written there. */
  get #handle(): number {
    if (this.#openHandle === null) throw new Error(`${this.#file} is closed.`)
    return this.#openHandle
  }

  #write(text: string): Place {
    const bytes = Buffer.from(text)
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#handle, bytes, done)
      if (this.#isSynced) fsyncSync(this.#handle)
    } catch (error) {
      // Half a line must not stand before the next one.
      if (fstatSync(this.#handle).isFile()) ftruncateSync(this.#handle, this.#end)
      throw error
    }
    const place = { offset: this.#end, length: bytes.length }
    this.#end += bytes.length
    return place
  }

  /** Where the last whole line ends. */
  #readAll(): number {
    if (!fstatSync(this.#handle).isFile()) return 0
    const bytes = readFileSync(this.#file)
    let end = 0
    for (let next = bytes.indexOf(10); next >= 0; next = bytes.indexOf(10, end)) {
      if (!isJson(bytes.subarray(end, next))) break
      this.#places.push({ offset: end, length: next + 1 - end })
      end = next + 1
    }
    if (end < bytes.length) ftruncateSync(this.#handle, end)
    return end
  }
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString())
    return true
  } catch {
    return false
  }
}

const isDiskTrouble = (error: unknown) =>
  ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EFBIG'].includes((error as NodeJS.ErrnoException).code ?? '')
