import type { IncomingHttpHeaders } from 'node:http'
import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'
import type { Connection } from './connection.ts'

/** Where issues live over there: a repository (GitHub), a project (GitLab, Jira), a team (Linear). */
export interface RemoteProject {
  /** Never changes, whatever it is renamed to. */
  id: string
  /** As people there write it: `acme/shop`, `WEB`. */
  key: string
  name: string
  url: string | null
}

export interface RemoteRepository {
  id: string
  /** `acme/shop`. */
  name: string
  /** What git clones, over https and without a password. */
  address: string
  branch: string
  url: string | null
}

/** What a hook brought: its headers, and its bytes as they came. */
export interface HookDelivery {
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface HookWish {
  url: string
  secret: string
  /** A project or a repository, by its id. */
  scope: string
}

/** What every tool can be asked for, whatever it is used for. */
export interface Connector {
  kind: ConnectionKind
  /** Says as whom we act, and which permissions are missing, as sentences. Throws what `call` throws. */
  check(connection: Connection): Promise<{ account: string; missing: string[] }>
  /** Where stories can come from. The best matches of `query`, or the most recent ones; a hundred at most. */
  projects?(connection: Connection, query: string): Promise<RemoteProject[]>
  repositories?(connection: Connection, query: string): Promise<RemoteRepository[]>
  /** Proves a delivery over its raw bytes; null: it is not from there. The id is the sender's own of this delivery. */
  proof(delivery: HookDelivery, secret: string, now: Date): { id: string; event: string } | null
  /** Makes the webhook over there, or brings the one that we have made before up to date. */
  makeWebhook?(connection: Connection, wish: HookWish): Promise<void>
}

/** One per kind; a kind without one cannot be connected here. */
export type Connectors = Partial<Record<ConnectionKind, Connector>>
