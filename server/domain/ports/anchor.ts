/** A signed checkpoint on its way out of the installation. */
export interface SentCheckpoint {
  workspaceId: string
  /** Its slug. */
  workspace: string
  size: number
  note: string
  sealedAt: Date
  /** What a timestamp authority has answered about it, if one was asked. */
  timestamp: Buffer | null
}

/** A place outside of the installation that has checkpoints of its log, so that no one here can replace them. */
export interface Anchor {
  /** Done once they are there; throws otherwise, and is called again with what is newest then. */
  send(checkpoints: readonly SentCheckpoint[], at: Date, signal: AbortSignal): Promise<void>
}

/** A timestamp authority (RFC 3161). */
export interface TimestampAuthority {
  /** Its answer to a request, both as they go over the wire. */
  ask(request: Buffer, signal: AbortSignal): Promise<Buffer>
}
