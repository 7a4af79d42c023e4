import { withTexts } from '@signalbox/contract/runner/event-texts.ts'
import type { RunnerEvent } from '@signalbox/contract/runner/messages.ts'

const mask = '***'
const leastLength = 8

/** Spellings that begin alike. */
interface Alike {
  whole: Set<string>
  /** How long they are, the longest first. */
  lengths: number[]
}

/**
 * Secrets, kept out of every text that is told. A text is looked at once, letter by letter, however many secrets there
 * are: a pattern of all of them is made again with each one that is added, and takes the longer the more there are.
 */
export class Secrets {
  readonly #above: Secrets | null
  /** Every spelling, by how it begins. */
  readonly #byBeginning = new Map<string, Alike>()
  /** Whether one may begin with letters of this mark: of most places in a text it is known at once that none does. */
  readonly #marks: Uint8Array

  constructor(known: Iterable<string> = [], above: Secrets | null = null) {
    this.#above = above
    this.#marks = above ? above.#marks.slice() : new Uint8Array(1 << 16)
    for (const secret of known) this.add(secret)
  }

  /** Those that this process knows by now, and what else one order brings: that is forgotten with the order. */
  forOrder(): Secrets {
    return new Secrets([], this)
  }

  /** In the spellings in which it may turn up. What is shorter than a secret would hide ordinary words. */
  add(secret: string): void {
    if (secret.length < leastLength) return
    const spellings = [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)]
    for (const offset of [0, 1, 2]) spellings.push(base64Within(secret, offset))
    for (const spelling of spellings) this.#spell(spelling)
  }

  #spell(spelling: string): void {
    const beginning = spelling.slice(0, leastLength)
    const { whole, lengths } = this.#byBeginning.get(beginning) ?? { whole: new Set(), lengths: [] }
    whole.add(spelling)
    const longestFirst = [...new Set([...lengths, spelling.length])].toSorted((a, b) => b - a)
    this.#byBeginning.set(beginning, { whole, lengths: longestFirst })
    this.#marks[markAt(spelling, 0)] = 1
  }

  /**
   * Of a header such as `Authorization: Basic …` the credential: neither its name nor its scheme, which are words like
   * others. What Basic hides is a name and a password, and the password is a secret on its own.
   */
  addHeader(header: string): void {
    const [, value = header] = /^[\w-]+:(.*)$/s.exec(header) ?? []
    const words = value.trim().split(/\s+/)
    const [scheme, ...credentials] = words.length > 1 ? words : ['', ...words]
    for (const credential of credentials) this.add(credential)
    if (!/^basic$/i.test(scheme!)) return
    const opened = Buffer.from(credentials.join(''), 'base64').toString()
    this.add(opened.slice(opened.indexOf(':') + 1))
  }

  maskedText(text: string): string {
    const marks = this.#marks
    let masked = ''
    let from = 0
    for (let at = 0; at + leastLength <= text.length; at += 1) {
      const found = marks[markAt(text, at)] === 0 ? 0 : this.#lengthAt(text, at)
      if (found === 0) continue
      masked += text.slice(from, at) + mask
      from = at + found
      at = from - 1
    }
    return from === 0 ? text : masked + text.slice(from)
  }

  /** How long the longest secret is that begins there; 0: none does. */
  #lengthAt(text: string, at: number): number {
    const above = this.#above === null ? 0 : this.#above.#lengthAt(text, at)
    const alike = this.#byBeginning.get(text.slice(at, at + leastLength))
    const length = alike?.lengths.find((letters) => alike.whole.has(text.slice(at, at + letters)))
    return Math.max(above, length ?? 0)
  }

  /** A report with all that is text in it masked; what is compared or acted upon stays as it is. */
  masked<E extends object>(event: E): E {
    return withTexts(event, (text, kind) => (kind === 'text' ? this.maskedText(text) : text))
  }

  /** What of a report stays as it is although a secret is in it, with the secret masked. */
  leftIn(event: RunnerEvent): string[] {
    const left: string[] = []
    withTexts(event, (text, kind) => {
      const masked = this.maskedText(text)
      if (kind !== 'text' && masked !== text) left.push(masked)
      return text
    })
    return left
  }
}

/** A number of 16 bits for the four letters that stand there. */
const markAt = (text: string, at: number): number =>
  (Math.imul(text.charCodeAt(at), 0x9e3779b1) ^
    Math.imul(text.charCodeAt(at + 1), 0x85ebca6b) ^
    Math.imul(text.charCodeAt(at + 2), 0xc2b2ae35) ^
    Math.imul(text.charCodeAt(at + 3), 0x27d4eb2f)) >>>
  16

/** What a secret looks like inside a longer base64 text, where its first byte stands at one of three places. */
function base64Within(secret: string, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString('base64')
  const bits = (offset + Buffer.byteLength(secret)) * 8
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6))
}

const namedLikeSecrets = /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/

/** What in an environment is a secret by its name: the API token, keys of models. */
export const secretsOf = (environment: NodeJS.ProcessEnv): string[] =>
  Object.entries(environment).flatMap(([name, value]) =>
    value && namedLikeSecrets.test(name) ? [value] : [],
  )
