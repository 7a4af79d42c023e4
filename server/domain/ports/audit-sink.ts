/** Entries of one workspace, in the order of its log. */
export interface AuditBatch {
  workspaceId: string
  /** Its slug. */
  workspace: string
  /** Each with its position in the log, and as JSON. */
  entries: readonly { position: number; json: string }[]
}

/** Where the operator has the audit log sent. */
export interface AuditSink {
  /** Done once it is received there; throws otherwise, and is called again with the same. */
  send(batch: AuditBatch, signal: AbortSignal): Promise<void>
}
