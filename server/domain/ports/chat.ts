export interface Post {
  place: { tool: string; address: string }
  /** What the post is about. In each place the first post of a thread begins it, and the others stand under it. */
  thread: string
  /** Names the wish: posted twice with the same key, it stands there once. */
  key: string
  /** Plain text; the tool must not read markup in it. */
  text: string
}

/** The chat tool of a team. */
export interface Chat {
  post(post: Post): Promise<void>
}
