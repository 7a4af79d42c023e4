/** One after the other, in the order in which they came. What one throws is its own affair. */
export class Lock {
  #last: Promise<unknown> = Promise.resolve()

  hold<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}
