import { isUtf8 } from 'node:buffer'
import { createHash, randomBytes } from 'node:crypto'
import { NotAllowed } from './formats/inspect-request.ts'

/** Longer ones are not copied. */
const longBytes = 2_000
/** What is left without them: there is no reason to send more, and parsed it takes a hundred times its bytes. */
const mostRest = 4_000_000
/** As much of a long text as is looked at: where a file is inline, what kind of file it is. */
const mostShown = 300

/** Shorter ones may share their place with others. */
const ownBytes = 1_000_000

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a]

/**
 * The long texts of a request, which stay where they are in its bytes. In what is parsed, looked through and written
 * again there is a short one in place of each, so that a request takes little more memory than its bytes, however long
 * it is.
 */
export class LongTexts {
  /** The request with short texts only. */
  readonly rest: string
  readonly #bytes: Buffer
  /** Of each, from quote to quote. */
  readonly #places: { from: number; to: number; shown: number }[] = []
  /** The placeholder of a text is random for each request, so a request cannot contain it. */
  readonly #nonce = randomBytes(12).toString('hex')
  readonly #mark = new RegExp(`\\u0001${this.#nonce}:(\\d+)$`)
  readonly #written = new RegExp(`"[^"\\\\]*\\\\u0001${this.#nonce}:(\\d+)"`, 'g')

  constructor(bytes: Buffer) {
    // Parsers that disagree on the encoding would see different requests.
    if (!isUtf8(bytes)) throw new NotAllowed('body', 'it is not UTF-8.')
    this.#bytes = bytes
    this.rest = this.#setAside()
  }

  /** Bytes of a text that was parsed, or of what of it is left. */
  bytesOf(text: string): number {
    const place = this.#placeOf(text)
    if (!place) return Buffer.byteLength(text)
    const { from, to, shown } = place
    return to - from - 2 - shown + text.lastIndexOf('\u0001')
  }

  /** The first bytes of a text that was parsed, as they are. */
  beginningOf(text: string, most: number): Buffer {
    const place = this.#placeOf(text)
    if (!place) return Buffer.from(text.slice(0, most))
    const begins = place.from + 1 + place.shown - text.lastIndexOf('\u0001')
    return this.#bytes.subarray(begins, Math.min(begins + most, place.to - 1))
  }

  /** Bytes of a JSON text with the long ones back in it. */
  bytesIn(json: string): number {
    let bytes = Buffer.byteLength(json)
    for (const [short, at] of json.matchAll(this.#written)) {
      const { from, to } = this.#places[Number(at)]!
      bytes += to - from - Buffer.byteLength(short)
    }
    return bytes
  }

  /** A JSON text with the long ones back in it, in pieces that are not copied. */
  restored(json: string): Buffer[] {
    const pieces: Buffer[] = []
    let from = 0
    for (const { 0: short, 1: at, index } of json.matchAll(this.#written)) {
      pieces.push(Buffer.from(json.slice(from, index)))
      const place = this.#places[Number(at)]!
      pieces.push(this.#bytes.subarray(place.from, place.to))
      from = index + short.length
    }
    pieces.push(Buffer.from(json.slice(from)))
    return pieces
  }

  /** A JSON text in which each long one has a name that only the same text has. `without` is passed over. */
  named(json: string, without: RegExp): string {
    return json.replaceAll(this.#written, (_, at: string) => {
      const { from, to } = this.#places[Number(at)]!
      const text = this.#bytes.subarray(from, to)
      const [found] = without.exec(text.toString('latin1', 0, longBytes)) ?? []
      const hash = createHash('sha256')
      if (found === undefined) hash.update(text)
      else {
        const skipped = text.indexOf(found, 0, 'latin1')
        hash.update(text.subarray(0, skipped)).update(text.subarray(skipped + found.length))
      }
      return `"\u0001${hash.digest('base64')}"`
    })
  }

  /** Gives back its memory now: many long requests in a row would outrun the garbage collector. */
  free(): void {
    const { buffer, byteLength } = this.#bytes
    if (byteLength >= ownBytes && buffer.byteLength === byteLength) (buffer as ArrayBuffer).transfer(0)
  }

  #placeOf(text: string) {
    const [, at] = this.#mark.exec(text) ?? []
    return at === undefined ? null : this.#places[Number(at)]!
  }

  #setAside(): string {
    const bytes = this.#bytes
    const kept: string[] = []
    let [from, length] = [0, 0]
    const keep = (text: string) => {
      length += text.length
      if (length > mostRest)
        throw new NotAllowed('body', 'it has too many parts. Send a shorter conversation.')
      kept.push(text)
    }
    for (let open = bytes.indexOf(quote); open >= 0; open = bytes.indexOf(quote, open)) {
      const to = endOf(bytes, open)
      if (to - open > longBytes) {
        refuseControls(bytes, open, to)
        if (isName(bytes, to)) throw new NotAllowed('body', 'the name of a field is too long.')
        const shown = plainIn(bytes, open + 1)
        this.#places.push({ from: open, to, shown: shown.length })
        keep(bytes.toString('utf8', from, open))
        keep(`"${shown}\\u0001${this.#nonce}:${this.#places.length - 1}"`)
        from = to
      }
      open = to
    }
    keep(bytes.toString('utf8', from))
    return kept.join('')
  }
}

/** Behind the quote that closes a text. */
function endOf(bytes: Buffer, open: number): number {
  for (let at = bytes.indexOf(quote, open + 1); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let slashes = 0
    while (bytes[at - 1 - slashes] === backslash) slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
  throw new NotAllowed('body', 'it is not JSON.')
}

/** JSON has none of them in a text; who takes them all the same may read on as something else. */
function refuseControls(bytes: Buffer, from: number, to: number): void {
  for (let at = from; at < to; at += 1) if (bytes[at]! < 0x20) throw new NotAllowed('body', 'it is not JSON.')
}

function isName(bytes: Buffer, to: number): boolean {
  let at = to
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += 1
  return bytes[at] === colon
}

/** How a text begins, as far as that is written as it is read. */
const plainIn = (bytes: Buffer, from: number): string =>
  /^[ !#-[\]-~]*/.exec(bytes.toString('latin1', from, from + mostShown))![0]
