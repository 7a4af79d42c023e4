/** A line of a file: as it was for what was removed, else as it is after the change. */
export interface Place {
  path: string
  side: 'before' | 'after'
  line: number
  /** What the line says, for those who read the comment elsewhere. */
  code: string
}

export interface LineComment extends Place {
  text: string
}
