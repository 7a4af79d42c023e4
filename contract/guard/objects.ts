/** What changed between two trees, one entry of it. Paths are as git has them; bytes that are no UTF-8 read as U+FFFD. */
export interface Change {
  path: string
  status: 'added' | 'deleted' | 'modified' | 'type'
  mode: { before: string; after: string }
  blob: { before: string; after: string }
}

/** A file, a link or a submodule of a tree. */
export interface Entry {
  path: string
  mode: string
  blob: string
}

/** Lines that came and went; null where git takes it for binary. */
export interface Counts {
  path: string
  additions: number | null
  deletions: number | null
}

/** Objects of git as they are, read by their ids: no worktree, no ref, no setting of a repository has a say in it. */
export interface Objects {
  /** Whether it is here, and a commit. */
  has(commit: string): Promise<boolean>
  /** False where `commit` is none, such as a tree. */
  isAncestor(ancestor: string, commit: string): Promise<boolean>
  /** Everything that differs, renames as what they are: one gone, one new. */
  changes(base: string, tree: string): Promise<Change[]>
  counts(base: string, tree: string): Promise<Counts[]>
  /** Of the trees that are here. */
  entries(tree: string): Promise<Entry[]>
  /** Of those that are here. */
  sizes(blobs: string[]): Promise<Map<string, number>>
  /** Of those that are here and no larger than `maxBytes` each. */
  readBlobs(blobs: string[], maxBytes: number): Promise<Map<string, Buffer>>
}
