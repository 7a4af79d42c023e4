/** How long to wait before the next try: 1 second, then twice as long each time up to 30, never in step with others. */
export class BackOff {
  #tries = 0

  /** What the server asks for is the least. */
  next(retryAfterSeconds: number | null = null): number {
    const most = Math.min(30, 2 ** this.#tries)
    this.#tries += 1
    const jittered = most * (0.5 + Math.random() / 2)
    if (retryAfterSeconds === null) return jittered
    return Math.max(jittered, Math.min(retryAfterSeconds, 600) * (1 + Math.random() / 10))
  }

  reset(): void {
    this.#tries = 0
  }
}
