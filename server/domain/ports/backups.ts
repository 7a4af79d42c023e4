/** What is known of the backups of this installation. */
export interface BackupState {
  /** When the last good one was finished; null: there is none. */
  lastSuccessAt: Date | null
  /** The last attempt, if it failed. */
  failure: { at: Date; message: string } | null
}

export interface Backups {
  state(): Promise<BackupState>
}

/** Where nothing records them. */
export const noBackups: Backups = { state: async () => ({ lastSuccessAt: null, failure: null }) }
