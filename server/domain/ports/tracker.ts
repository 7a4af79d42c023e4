import type { trackerKinds } from '@signalbox/contract/connection-kinds.ts'
import type { StoryListed } from '@signalbox/contract/story.ts'
import type { Connection } from './connection.ts'

type Role = StoryListed['column']['role']

/** Why an issue is no longer work of its project. */
export type Left = 'closed' | 'moved' | 'deleted'

/** An issue as its tracker has it now. */
export interface Issue {
  /** Never changes within its project, whatever becomes of the issue. */
  id: string
  /** As people know it: `WEB-12`, `halden/web#12`. */
  key: string
  url: string
  title: string
  /** Markdown, without the block that is ours. */
  description: string
  /** The block with criteria, Demonstrate and sizing, as it is there now; null: there is none. */
  block: string | null
  /** Ids of `statuses` that say how far it is: one, or several where labels say it. */
  statuses: string[]
  /** It was closed without being done, or belongs to another project now. */
  left: Left | null
  /** It has the label that the binding asks for, if it asks for one. */
  fits: boolean
  /** Keys of the open issues that block it; `some`: which has to be asked for; null: whether there are any, too. */
  blockedBy: string[] | 'some' | null
  /** By the tracker's clock. An older one never overwrites a newer one. */
  updatedAt: Date
  /** What `token` gave for the wish that made it; null: we did not make it. */
  wish: string | null
}

/** A status that an issue can have. */
export interface TrackerStatus {
  id: string
  name: string
  /** The column it most likely means; null: it says nothing about that. */
  guess: Role | null
}

/** A page of issues, oldest change first where the tool can. The cursor belongs to the adapter. */
export interface ChangedIssues {
  issues: Issue[]
  cursor: unknown
  more: boolean
  /** How many issues there are in all, where the tool says so. */
  total: number | null
}

export interface IssueChanges {
  title?: string
  description?: string
  block?: string
}

/** Where a call goes: which project, with what. */
export interface TrackerProject {
  connection: Connection
  /** As the binding has it: the tool's own id, and what people there write. */
  project: { id: string; key: string }
  /** Only issues with this label; null: all. */
  label: string | null
  /** Which comment holds what the tool has no fields for, by issue, as it was kept when it was last seen. */
  blocks?: {
    find(issueId: string): Promise<string | null>
    keep(issueId: string, comment: string): Promise<void>
  }
}

/** What a delivery is about: nothing is taken from it, the issue is fetched. */
interface Hint {
  /** Ids and keys of the project that the delivery names; none: it does not say. */
  projects: string[]
  issue: string
}

/**
 * The customer's tracker, which stays the source of truth for a story's title and description. Every call is made once:
 * it throws ToolRefused where asking again would not help and ToolBusy where it would, and the outbox waits.
 */
export interface Tracker {
  /** What tells our wish from others in this tool. */
  token(key: string): string
  /** Every status of the project, furthest back first. */
  statuses(at: TrackerProject): Promise<TrackerStatus[]>
  /** What has changed since the cursor; all open issues when there is none. */
  changed(at: TrackerProject, cursor: unknown): Promise<ChangedIssues>
  /** One issue; null: it is not there any more, or not for us, and perhaps nothing of its project is. */
  fetch(at: TrackerProject, id: string): Promise<Issue | null>
  /** Keys of the open issues that block one, where the issue itself does not say; null: that can't be read. */
  blockers?(at: TrackerProject, id: string): Promise<string[] | null>
  /** Ids of all that is open, page by page; to find what was deleted without a word. */
  openIds(at: TrackerProject, cursor: unknown): Promise<{ ids: string[]; cursor: unknown }>
  /** Creates an issue. `look`: an earlier try may have arrived, so it is looked for first. */
  create(
    at: TrackerProject,
    wish: { token: string; title: string; description: string; block: string; look: boolean },
  ): Promise<Issue>
  /** Writes what is given and returns the issue as it is then. */
  update(at: TrackerProject, issue: Issue, changes: IssueChanges): Promise<Issue>
  /** Whether writing the description loses nothing that people put there, such as mentions. Not there: it does not. */
  mayWriteDescription?(at: TrackerProject, id: string): Promise<boolean>
  /** Takes the issue to a status, leaving none of `others`; says why the tool does not allow it. */
  move(
    at: TrackerProject,
    issue: Issue,
    to: string,
    others: string[],
  ): Promise<{ issue: Issue } | { refused: string }>
  /** Writes a comment, or changes the one that `ref` names; returns its ref. */
  comment(
    at: TrackerProject,
    issue: string,
    wish: { token: string; text: string; ref: string | null; look: boolean },
  ): Promise<string>
  /** Links an address on the issue, once; where the tool has links of its own. */
  link?(at: TrackerProject, issue: string, link: { url: string; title: string }): Promise<void>
  /** Which issues a delivery is about. */
  hints(event: string, body: unknown): Hint[]
}

type TrackerKind = (typeof trackerKinds)[number]
export type Trackers = Record<TrackerKind, Tracker>
