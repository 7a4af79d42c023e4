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

/** A project or a repository: by what never changes, and by what people there write, as it was last known here. */
export interface HookScope {
  id: string
  name: string
}

export interface HookWish {
  url: string
  secret: string
  scope: HookScope
}

/** A GitHub App that is to be created, as the person who creates it wants it. */
export interface AppForm {
  name: string
  baseUrl: string
  organization: string | null
  /** Where the browser comes back to, after creating it and after installing it. */
  returnTo: string
  /** Left out of the app where GitHub could not reach it. */
  hookUrl: string
  state: string
}

/** What GitHub gave for the code. */
interface CreatedApp {
  appId: string
  clientId: string
  privateKey: string
  /** Null: it has no webhook. */
  webhookSecret: string | null
  name: string
  slug: string
  installUrl: string
}

/** How apps are created over there, from a manifest that the person's own browser posts. */
export interface AppMaker {
  form(wish: AppForm): { action: string; manifest: string }
  convert(at: Pick<Connection, 'id' | 'workspaceId' | 'baseUrl'>, code: string): Promise<CreatedApp>
  /** Asked with the app's own key; newest first. */
  installations(app: Connection): Promise<number[]>
}

/** How the webhooks of a connection fare over there. */
export interface HookHealth {
  state: 'working' | 'failing' | 'off' | 'none' | 'unknown'
  /** Sentences for people: what was found, and what was done about it. */
  note: string
  /** Something was changed over there, or sent again. */
  mended: boolean
}

export interface HookLook {
  /** Our address: hooks of others are left alone. */
  url: string
  secret: string
  /** Projects and repositories that teams use. */
  scopes: readonly HookScope[]
  /** When they were last looked at; null: never. */
  since: Date | null
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
  /** Looks how the webhooks fare, and mends what can be mended: turns on what is off, has what failed sent again. */
  lookAfterHooks?(connection: Connection, look: HookLook): Promise<HookHealth>
  /** Where the tool can create the account for us to act as. */
  apps?: AppMaker
}

/** One per kind; a kind without one cannot be connected here. */
export type Connectors = Partial<Record<ConnectionKind, Connector>>
