export interface PushMessage {
  id: string
  title: string
  body: string
  /** Where in the app it leads. */
  path: string
}

/** Gone: the browser takes no more pushes. Refused: this one is not taken, today or tomorrow. */
type Pushed = 'sent' | 'gone' | 'refused'

/** Reaches browsers through the push services of their makers. */
export interface Push {
  /** What a browser subscribes with. */
  publicKey: string
  /** Why pushes to that address would never be sent, for the person who turns them on; null: they would be. */
  refusalOf(endpoint: URL): Promise<string | null>
  /** What may pass is thrown, and tried again. */
  send(push: {
    to: { endpoint: string; p256dh: string; auth: string }
    /** Names the wish: of two with the same key, a browser that was away gets one. */
    key: string
    urgent: boolean
    at: Date
    message: PushMessage
  }): Promise<Pushed>
}
