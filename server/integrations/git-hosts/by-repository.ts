import type { Credential } from '@signalbox/contract/runner/messages.ts'
import { type Connection, ToolRefused } from '../../domain/ports/connection.ts'
import {
  type CloseRequest,
  type GitAnswer,
  type GitHost,
  type GitRequest,
  type MainCheck,
  type MainNow,
  type MainRequest,
  type MergeRequest,
  type MergeResult,
  type NoteFacts,
  type Opened,
  type OpenRequest,
  type PullRequestNow,
  placeOf,
  type RevertRequest,
  type Review,
  type TeamRepository,
  type Verdict,
} from '../../domain/ports/git-host.ts'
import type { Clock } from '../../infra/clock.ts'
import type { Call } from '../connections/call.ts'
import type { GitProxy } from './git-proxy.ts'
import { GitHubHost } from './github.ts'
import { GitLabHost } from './gitlab.ts'

const tools = { github: GitHubHost, gitlab: GitLabHost }

export interface ChoosingOptions {
  /** For repositories that are folders on the server. */
  local: GitHost
  /** Null: it was disconnected. */
  open: (workspaceId: string, connectionId: string) => Promise<Connection | null>
  call: Call
  passOn: GitProxy
  clock: Clock
}

/**
 * The host of each repository, chosen again for each call: the connection is opened, used and forgotten. What the tool
 * refuses becomes a reason here; what an admin can fix and temporary failures are thrown, for the ledger and the
 * outbox.
 */
export class GitHosts implements GitHost {
  readonly #options: ChoosingOptions

  constructor(options: ChoosingOptions) {
    this.#options = options
  }

  async troubleWith(workspaceId: string, repository: TeamRepository): Promise<string | null> {
    const host = await this.#of(workspaceId, repository)
    return 'refused' in host
      ? host.refused
      : orRefusal(host.troubleWith(workspaceId, repository), (why) => why)
  }

  async credential(
    workspaceId: string,
    repository: TeamRepository,
    access: 'read' | 'write',
  ): Promise<Credential | 'relay' | { refused: string }> {
    const host = await this.#of(workspaceId, repository)
    return 'refused' in host ? host : orRefusal(host.credential(workspaceId, repository, access), refused)
  }

  async relay(
    workspaceId: string,
    repository: TeamRepository,
    request: GitRequest,
  ): Promise<GitAnswer | { refused: string }> {
    const host = await this.#of(workspaceId, repository)
    return 'refused' in host ? host : orRefusal(host.relay(workspaceId, repository, request), refused)
  }

  async openPullRequest(request: OpenRequest): Promise<Opened> {
    const host = await this.#of(request.workspaceId, request.repository)
    return 'refused' in host
      ? host
      : orRefusal<Opened>(host.openPullRequest(request), refused, request.repository)
  }

  async closePullRequest(request: CloseRequest): Promise<{ refused: string } | null> {
    const host = await this.#of(request.workspaceId, request.repository)
    return 'refused' in host
      ? host
      : orRefusal<{ refused: string } | null>(host.closePullRequest(request), refused, request.repository)
  }

  async postVerdict(verdict: Verdict): Promise<{ refused: string } | null> {
    const host = await this.#of(verdict.workspaceId, verdict.repository)
    return 'refused' in host ? host : host.postVerdict(verdict)
  }

  /** What the tool refuses to tell is waited for, like what it cannot tell now: nothing is merged without it. */
  async merge(request: MergeRequest, note?: NoteFacts): Promise<MergeResult> {
    const host = await this.#of(request.workspaceId, request.repository)
    if ('refused' in host) return { merged: false, reason: host.refused }
    const waiting = (reason: string): MergeResult => ({ merged: false, reason, isPending: true })
    return orRefusal(host.merge(request, note), waiting, request.repository)
  }

  async checkMain(request: MergeRequest): Promise<MainCheck> {
    const host = await this.#of(request.workspaceId, request.repository)
    // Even if the connection is gone, the merge is made, and main has to be checked by the runner.
    return 'refused' in host
      ? { state: 'by_runner' }
      : orRefusal(host.checkMain(request), () => ({ state: 'by_runner' }))
  }

  async readMain(request: MainRequest): Promise<MainNow | null> {
    const host = await this.#of(request.workspaceId, request.repository)
    return 'refused' in host ? null : orRefusal(host.readMain(request), () => null, request.repository)
  }

  async readPullRequest(request: MergeRequest): Promise<PullRequestNow | null> {
    const host = await this.#of(request.workspaceId, request.repository)
    return 'refused' in host ? null : orRefusal(host.readPullRequest(request), () => null)
  }

  async readReviews(request: MergeRequest): Promise<Review[]> {
    const host = await this.#of(request.workspaceId, request.repository)
    return 'refused' in host ? [] : orRefusal(host.readReviews(request), () => [])
  }

  async openRevert(request: MergeRequest): Promise<Opened> {
    const host = await this.#of(request.workspaceId, request.repository)
    return 'refused' in host ? host : orRefusal<Opened>(host.openRevert(request), refused, request.repository)
  }

  async revertCommit(request: RevertRequest): Promise<Opened> {
    const { repository: address, teamRepository: own } = request
    if (address !== null && !isSame(address, own))
      return { refused: `${address} is not the repository of the team.` }
    const host = await this.#of(request.workspaceId, own)
    return 'refused' in host ? host : orRefusal<Opened>(host.revertCommit(request), refused, own)
  }

  async #of(workspaceId: string, repository: TeamRepository | null): Promise<GitHost | { refused: string }> {
    const { local, open, ...own } = this.#options
    if (!repository?.connectionId) return local
    const connection = await open(workspaceId, repository.connectionId)
    if (!connection)
      return { refused: `${repository.name} is on ${repository.host}, which is not connected.` }
    const Tool = tools[connection.kind as keyof typeof tools]
    return Tool
      ? new Tool({ connection, ...own })
      : { refused: `${connection.name} is a connection that has no repositories.` }
  }
}

/** People write an address with and without `.git`. */
const isSame = (address: string, own: TeamRepository | null) =>
  own !== null &&
  [own.name, own.address].some((known) => known.replace(/\.git$/, '') === address.replace(/\.git$/, ''))

const refused = (reason: string) => ({ refused: reason })

/**
 * Whatever the tool refuses becomes a reason. Where something is to be done in a repository, what an admin can mend is
 * thrown instead, and waits for that: the ledger of refusals has it, under the repository's own connection.
 */
async function orRefusal<T>(
  call: Promise<T>,
  otherwise: (reason: string) => T,
  doneIn: TeamRepository | null = null,
): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error
    if (!doneIn || error.extent === 'thing') return otherwise(error.message)
    error.at = placeOf(doneIn)
    throw error
  }
}
