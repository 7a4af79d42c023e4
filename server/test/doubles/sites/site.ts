import type { Double } from '../double.ts'
import type { Hooks } from '../hooks.ts'

/** An issue as people see it over there. */
export interface SiteIssue {
  /** As the tool's API knows it. */
  id: string
  key: string
  url: string
  title: string
  text: string
  /** In the tool's words: its labels, or its status. */
  status: string
  isReady: boolean
  isClosed: boolean
  comments: string[]
  links: string[]
}

/** A pull or merge request as people see it over there. */
export interface SitePull {
  number: number
  url: string
  title: string
  text: string
  branch: string
  head: string
  state: 'open' | 'closed' | 'merged'
  /** What was said about its head, as `signalbox: success`. */
  verdicts: { name: string; state: string; url: string }[]
}

/**
 * A double with something in it: a project with issues, perhaps a repository, webhooks that are sent, and pages to look
 * at. What a person does over there is done here, by a test or on the page.
 */
export interface Site {
  kind: 'github' | 'gitlab' | 'jira' | 'linear'
  /** As people call the tool, and the request that asks for a merge. */
  name: string
  pullName: string
  double: Double
  /** What the form asks for. */
  credentials: Record<string, string>
  project: { key: string }
  hooks: Hooks
  open(issue: { title: string; text: string }): string
  /** What makes an issue one that the team takes, in the tool's words: a label, or a status. */
  readyWord: string
  markReady(id: string): void
  issues(): SiteIssue[]
  pulls(): SitePull[]
  /** Everything in it, for saving. */
  kept: Kept
  stop(): Promise<void>
}

/** What a site keeps, its webhooks excepted, which lead elsewhere the next time: lists and maps of plain values, and the last number it gave. */
export interface Kept {
  parts: Record<string, Map<unknown, unknown> | unknown[]>
  counter: { lastId: number }
}

export const textOf = ({ parts, counter }: Kept): string =>
  JSON.stringify({
    lastId: counter.lastId,
    ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, [...part]])),
  })

export function fill({ parts, counter }: Kept, text: string): void {
  const said = JSON.parse(text) as Record<string, unknown[]> & { lastId: number }
  counter.lastId = said.lastId
  for (const [name, part] of Object.entries(parts)) {
    if (part instanceof Map)
      for (const [key, value] of said[name] as [unknown, unknown][]) part.set(key, value)
    else part.splice(0, part.length, ...said[name]!)
  }
}
