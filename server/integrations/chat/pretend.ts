import type { Chat, ChatMessage, ChatPost, ChatSocket } from '../../domain/ports/chat.ts'

/** A chat tool that is not there: it remembers in memory what a real one would show. For tests. */
export class PretendChat implements Chat {
  readonly apartMs = 0
  readonly ephemeralMessages: { channel: string; user: string; text: string }[] = []
  readonly #posts: (ChatPost & { id: string })[] = []
  #failures = 0

  /** The next calls fail, as they do while a tool is away. */
  fail(times: number): void {
    this.#failures = times
  }

  /** The current posts in a place, thread by thread, each from its first post. */
  threads(channel: string): string[][] {
    const ofChannel = this.#posts.filter((post) => post.channel === channel)
    return ofChannel
      .filter(({ under }) => under === null)
      .map(({ id, message }) => [
        textOf(message),
        ...ofChannel.filter(({ under }) => under === id).map((post) => textOf(post.message)),
      ])
  }

  async post(_: unknown, post: ChatPost): Promise<string> {
    this.#answer()
    const there = this.#posts.find(({ key, channel }) => key === post.key && channel === post.channel)
    if (there) return there.id
    const id = `${this.#posts.length + 1}.0`
    this.#posts.push({ ...post, id })
    return id
  }

  async update(_: unknown, channel: string, id: string, message: ChatMessage): Promise<void> {
    this.#answer()
    const found = this.#posts.find((post) => post.channel === channel && post.id === id)
    if (found) found.message = message
  }

  async postEphemeral(_: unknown, to: { channel: string; user: string }, text: string): Promise<void> {
    this.#answer()
    this.ephemeralMessages.push({ ...to, text })
  }

  async openDirect(_: unknown, user: string): Promise<string> {
    return `D-${user}`
  }

  async findChannel(_: unknown, channel: string) {
    return { id: channel, name: `#${channel.toLowerCase()}` }
  }

  async findUser(_: unknown, user: string) {
    return { id: user, name: user, email: null }
  }

  async openSocket(): Promise<ChatSocket> {
    throw new Error('There is no socket.')
  }

  #answer(): void {
    if (this.#failures === 0) return
    this.#failures -= 1
    throw new Error('chat.example.com is not responding. We’ll keep trying.')
  }
}

const textOf = ({ title, body, buttons, links, footer }: ChatMessage): string =>
  [
    title,
    ...body.flatMap((text) => {
      if (typeof text === 'string') return text
      if ('markdown' in text) return text.markdown
      return [text.heading, ...text.linked.map(({ text: said, url }) => `${said} ${url}`)]
    }),
    ...buttons.map(({ label }) => `[${label}]`),
    ...links.map(({ url }) => url),
    ...(footer ? [footer] : []),
  ].join('\n')
