import type { Connection } from './connection.ts'

/**
 * What a message shows, whatever the tool: it is drawn the tool's own way. Nothing in it is read as markup, except what
 * says that it is Markdown; and even there nobody is mentioned and nothing is a link.
 */
export interface ChatMessage {
  title: string
  /** Paragraphs. */
  body: (string | { markdown: string })[]
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
  /** Names the wish: posted twice with the same key, it stands there once. */
  key: string
  message: ChatMessage
  /** The message under which it stands; null: it begins a thread. */
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
  /** Ends it at once: the other side may be gone without a word. */
  drop(): void
}

/** A chat tool. Each call is made once; what may pass is thrown as ToolBusy, what will not as ToolRefused. */
export interface Chat {
  /** How far apart two messages in one place must be. */
  readonly apartMs: number
  /** Returns what the tool calls the message. */
  post(connection: Connection, post: ChatPost): Promise<string>
  update(connection: Connection, channel: string, message: string, shown: ChatMessage): Promise<void>
  /** Says something to one person in a place; nobody else sees it. */
  whisper(connection: Connection, to: { channel: string; user: string }, text: string): Promise<void>
  findChannel(connection: Connection, channel: string): Promise<{ id: string; name: string }>
  findUser(connection: Connection, user: string): Promise<ChatUser>
  openSocket(connection: Connection): Promise<ChatSocket>
}
