import type { Chat, Post } from '../../domain/ports/chat.ts'

/** A chat tool that is not there: it remembers in memory what a real one would show. For tests and the demo. */
export class PretendChat implements Chat {
  readonly #threads = new Map<string, Post[]>()
  #failures = 0

  /** The next calls fail, as they do while a tool is away. */
  fail(times: number): void {
    this.#failures = times
  }

  /** What was posted in a place, thread by thread, each from its first post. */
  threads(address: string): { thread: string; texts: string[] }[] {
    return [...this.#threads.values()]
      .filter(([first]) => first!.place.address === address)
      .map((posts) => ({ thread: posts[0]!.thread, texts: posts.map(({ text }) => text) }))
  }

  async post(post: Post): Promise<void> {
    if (this.#failures > 0) {
      this.#failures -= 1
      throw new Error('chat.example.com is not responding. We’ll keep trying.')
    }
    const { tool, address } = post.place
    const name = JSON.stringify([tool, address, post.thread])
    const posts = this.#threads.get(name) ?? []
    if (posts.some(({ key }) => key === post.key)) return
    this.#threads.set(name, [...posts, post])
  }
}
