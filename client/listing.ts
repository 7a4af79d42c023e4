export interface Page<T> {
  data: T[]
  nextCursor: string | null
}

/**
 * A list of the API. `for await` goes over everything in it, from page to page as far as it is followed; `page()` reads
 * one page.
 */
export class Listing<T> implements AsyncIterable<T> {
  readonly #read: (cursor: string | undefined) => Promise<Page<T>>

  constructor(read: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#read = read
  }

  /** The first page, or the one that a `nextCursor` leads to. */
  page(cursor?: string): Promise<Page<T>> {
    return this.#read(cursor)
  }

  async *pages(): AsyncGenerator<Page<T>> {
    let page = await this.#read(undefined)
    yield page
    while (page.nextCursor !== null) {
      page = await this.#read(page.nextCursor)
      yield page
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const { data } of this.pages()) yield* data
  }

  /** The first `most` of them. */
  async take(most: number): Promise<T[]> {
    const taken: T[] = []
    if (most <= 0) return taken
    for await (const element of this) {
      taken.push(element)
      if (taken.length === most) break
    }
    return taken
  }

  all(): Promise<T[]> {
    return this.take(Number.POSITIVE_INFINITY)
  }
}
