import type { Connection } from './connection.ts'

/**
 * What a message shows, whatever the tool: each tool renders it in its own way. Nothing in it is read as markup, except
 * what is declared as Markdown; and even there no one is mentioned and nothing is a link. Only sentences of ours that
 * are declared as such lead somewhere.
 */
export interface ChatMessage {
  title: string
  /** Paragraphs, and headings with sentences below, each of which is a link. */
  body: (string | { markdown: string } | { heading: string; linked: { text: string; url: string }[] })[]
  buttons: ChatButton[]
  /** What the field beside the buttons asks for; null: there is none. */
  note: string | null
  links: { label: string; url: string }[]
  /** The last line, in small print. */
  footer: string | null
}

interface ChatButton {
  /** Comes back when it is pressed. */
  id: string
  label: string
  /** What pressing it does, in a sentence. */
  explained: string | null
  isRecommended: boolean
}

export interface ChatPost {
  /** What the tool calls the place. */
  channel: string
  /** Idempotency key: posted twice with the same key, it appears once. */
  key: string
  message: ChatMessage
  /** The message it replies to; null: it starts a thread. */
  under: string | null
  /** Whether an earlier attempt may have arrived, so that it is looked for first. */
  mayBeThere: boolean
}

interface ChatUser {
  id: string
  name: string
  /** Only where the tool says that it is verified. */
  email: string | null
}

/** Over which a tool tells what people do there. */
export interface ChatSocket {
  /** On its way to being open. Every sign of life that is no message is a `sign` event of it. */
  readonly socket: WebSocket
  /** Asks for a sign of life. */
  ping(): void
  /** Ends it immediately: the other side may have gone silently. */
  drop(): void
}

/** A chat tool. Each call is made once; what may pass is thrown as ToolBusy, what will not as ToolRefused. */
export interface Chat {
  /** How far apart two messages in one place must be. */
  readonly apartMs: number
  /** Returns what the tool calls the message. */
  post(connection: Connection, post: ChatPost): Promise<string>
  update(connection: Connection, channel: string, message: string, shown: ChatMessage): Promise<void>
  /** Posts a message in a channel that only one person sees. */
  postEphemeral(connection: Connection, to: { channel: string; user: string }, text: string): Promise<void>
  /** What the tool calls the place where only that person is spoken to. */
  openDirect(connection: Connection, user: string): Promise<string>
  findChannel(connection: Connection, channel: string): Promise<{ id: string; name: string }>
  findUser(connection: Connection, user: string): Promise<ChatUser>
  openSocket(connection: Connection): Promise<ChatSocket>
}
