/** The manual as `npm run build` renders it from docs/manual and the server shows it at /docs. */
export interface Manual {
  groups: ManualGroup[]
  pages: ManualPage[]
}

/** A heading of the table of contents. Pages by their paths, in the order to read them in. */
export interface ManualGroup {
  name: string
  paths: string[]
}

export interface ManualPage {
  /** Below /docs, without a slash in front: `runner`, `agents/codex`. */
  path: string
  title: string
  /** The page itself, without its title. */
  html: string
  /** The first is the text before the first heading and has no id. */
  sections: ManualSection[]
}

export interface ManualSection {
  id: string | null
  /** 2 and 3 are headings; 0 is what has an address of its own inside a table, such as a setting. */
  level: 0 | 1 | 2 | 3
  heading: string
  /** What is found by searching, without markup. */
  text: string
}

/** Where the page is that explains it. */
export const docsPath = (page: string): string => `/docs/${page}`
