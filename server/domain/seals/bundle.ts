/** What travels with an exported file, so that anyone can check it without us. Hashes are base64. */
export interface ProofBundle {
  workspace: string
  exportId: string
  /** The signed note. */
  checkpoint: string
  /** The verifier key of the note. */
  key: string
  /** In the order of the file. */
  entries: { id: string; position: number; hash: string }[]
  /** The subtrees over leaves [from, to) that lead from the entries to the root. */
  nodes: { from: number; to: number; hash: string }[]
}
