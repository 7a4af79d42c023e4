import type { KeyObject } from 'node:crypto'
import type { InputOf, Operations, ResponseOf } from '@signalbox/contract/app/operation.ts'
import type { System } from '@signalbox/contract/app/system.ts'
import type { Integrations } from '@signalbox/contract/app/workspaces.ts'
import type { CurrentSettings } from '@signalbox/contract/remedy.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../../domain/accounts/people/find-session.ts'
import type { Founding } from '../../domain/accounts/workspaces/create-own.ts'
import type { Context } from '../../domain/context.ts'
import type { TestMarks } from '../../domain/on-call/signals/test-marks.ts'
import type { Intake } from '../../domain/on-call/sources/send-test.ts'
import type { Page, PageRequest } from '../../domain/page.ts'
import type { Chat } from '../../domain/ports/chat.ts'
import type { Connectors } from '../../domain/ports/connector.ts'
import type { GitHost } from '../../domain/ports/git-host.ts'
import type { Mailer } from '../../domain/ports/mailer.ts'
import type { PracticeGround } from '../../domain/ports/practice-ground.ts'
import type { Push } from '../../domain/ports/push.ts'
import type { SingleTracker } from '../../domain/ports/single-tracker.ts'
import type { Splitter } from '../../domain/ports/splitter.ts'
import type { WorkPort } from '../../domain/ports/work.ts'
import type { Calling } from '../../domain/tools/webhooks/call.ts'
import type { ProgramFile } from '../../infra/http/program-file.ts'
import type { Secrets } from '../../infra/secrets.ts'
import { type Cursors, pageJson } from '../http/cursor.ts'
import type { FileResponse } from '../http/file.ts'
import type { PersonalContext } from '../http/session.ts'

/** What handlers need apart from the context. */
export interface AppTools {
  cursors: Cursors
  secrets: Secrets
  /** Checks what the audit log's checkpoints are signed with. */
  auditKey: () => KeyObject
  publicUrl: () => string
  signalUrl: () => string
  /** Null: no mail is sent. */
  mailer: Mailer | null
  chat: Chat | null
  push: Pick<Push, 'publicKey' | 'refusalOf'>
  /** What the operator has set of what a refusal can ask for. */
  setToday: CurrentSettings
  /** The identity provider, as people call it. */
  oidc: { name: string } | null
  /** Whom this installation reaches out to, without secrets. */
  connected: Omit<Integrations, 'pagers'>
  /** How each outside tool is asked. */
  connectors: Connectors
  /** Null: people merge and revert by hand. */
  gitHost: GitHost | null
  /** Null: approved drafts become stories here. */
  tracker: SingleTracker | null
  /** Knows which coding agents are there. */
  work: Pick<WorkPort, 'serves'>
  /** Drafts stories from requirements. */
  splitter: Splitter
  /** What deliveries go through; a test alert takes the same way. */
  intake: Intake
  /** Makes the marks by which a delivery opens a test incident. */
  testMarks: TestMarks
  /** Where practice projects are. */
  ground: PracticeGround
  /** The runner of this server, as a file to download. */
  readProgram: () => Promise<ProgramFile | null>
  /** What starts this server again with a runner next to it; null: no command does. */
  restart: string | null
  /** How endpoints of webhooks are called. */
  webhooks: Calling
  /** Whether the operator has turned it on. */
  managementApi: boolean
  /** Who may create workspaces. */
  founding: Founding
  /** The installation as it is, for those who own it. */
  readSystem: () => Promise<System>
}

/** JSON that the database has rendered, or a value that is still to be. */
type Rendered<T> = Json<T> | T

/** One handler for each operation, within a workspace. */
export type Handlers<O extends Operations> = {
  [Name in keyof O]: (
    ctx: PersonalContext,
    input: InputOf<O[Name]>,
    tools: AppTools,
    reply: FastifyReply,
  ) => Promise<Rendered<ResponseOf<O[Name]>> | FileResponse>
}

/** The same for what a person asks for in no workspace. */
export type PersonalHandlers<O extends Operations> = {
  [Name in keyof O]: (
    person: SignedIn,
    input: InputOf<O[Name]>,
    services: Pick<Context, 'db' | 'clock' | 'queue' | 'origin'>,
    tools: AppTools,
    request: FastifyRequest,
  ) => Promise<Rendered<ResponseOf<O[Name]>>>
}

/** A page of a list; the cursor is bound to the list and its filters. */
export async function paged<T>(
  ctx: Context,
  tools: Pick<AppTools, 'cursors'>,
  name: string,
  input: { limit?: number; cursor?: string },
  list: (page: PageRequest) => Promise<Page<T>>,
): Promise<Json<{ data: T[]; nextCursor: string | null }>> {
  const { limit: _, cursor: __, ...filter } = input
  const scope = JSON.stringify(['app', name, ctx.workspaceId, Object.entries(filter).sort()])
  const page = await list(tools.cursors.page(scope, input))
  return pageJson(page.data, page.next && tools.cursors.seal(scope, page.next))
}

/** Rendered elements in a row. */
export const arrayOf = <T>(elements: readonly Json<T>[]): Json<T[]> => `[${elements.join(',')}]` as Json<T[]>
