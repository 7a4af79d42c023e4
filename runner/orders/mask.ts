const mask = '***'
const leastLength = 8

/** Secrets that this process knows, kept out of everything it tells. */
export class Secrets {
  readonly #known = new Set<string>()
  #pattern: RegExp | null = null

  constructor(known: Iterable<string> = []) {
    for (const secret of known) this.add(secret)
  }

  /** In the spellings in which it may turn up. What is shorter than a secret would hide ordinary words. */
  add(secret: string): void {
    if (secret.length < leastLength) return
    for (const spelling of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
      this.#known.add(spelling)
    for (const offset of [0, 1, 2]) this.#known.add(base64Within(secret, offset))
    const longestFirst = [...this.#known].toSorted((a, b) => b.length - a.length)
    this.#pattern = new RegExp(longestFirst.map(RegExp.escape).join('|'), 'g')
  }

  /** Of a header such as `Authorization: Basic …`, every word that is long enough. */
  addHeader(header: string): void {
    for (const word of header.split(/[\s:]+/)) if (word.length > 12) this.add(word)
  }

  maskedText(text: string): string {
    return this.#pattern ? text.replace(this.#pattern, mask) : text
  }

  /** The same with every text in it masked. */
  masked<T>(value: T): T {
    if (typeof value === 'string') return this.maskedText(value) as T
    if (Array.isArray(value)) return value.map((item) => this.masked(item)) as T
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.masked(item)])) as T
  }
}

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
