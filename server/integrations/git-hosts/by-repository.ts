import type { Credential } from '@signalbox/contract/runner/messages.ts'
import { type Connection, ToolBusy, ToolRefused } from '../../domain/ports/connection.ts'
import type {
  GitAnswer,
  GitHost,
  GitRequest,
  MainCheck,
  MainNow,
  MainRequest,
  MergeRequest,
  MergeResult,
  NoteFacts,
  Opened,
  OpenRequest,
  PullRequestNow,
  RevertRequest,
  Review,
  TeamRepository,
  Verdict,
} from '../../domain/ports/git-host.ts'
import type { Clock } from '../../infra/clock.ts'
import type { Call } from '../connections/call.ts'
import { GitHubHost } from './github.ts'
import { GitLabHost } from './gitlab.ts'
import type { PassOn } from './pass-on.ts'

const tools = { github: GitHubHost, gitlab: GitLabHost }

export interface ChoosingOptions {
  /** For repositories that are folders on the server. */
  local: GitHost
  /** Null: it was disconnected. */
  open: (workspaceId: string, connectionId: string) => Promise<Connection | null>
  call: Call
  passOn: PassOn
  clock: Clock
}

/**
 * The host of each repository, chosen anew for each call: the connection is opened, used and forgotten. What the tool
 * refuses becomes a reason here, and what an admin can mend is waited for; what may pass is thrown, for the outbox.
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
    return 'refused' in host ? host : orRefusal(host.openPullRequest(request), waitOrRefused)
  }

  async postVerdict(verdict: Verdict): Promise<{ refused: string } | null> {
    const host = await this.#of(verdict.workspaceId, verdict.repository)
    return 'refused' in host ? host : orRefusal(host.postVerdict(verdict), refused)
  }

  /** What the tool refuses to tell is waited for, like what it cannot tell now: nothing is merged without it. */
  async merge(request: MergeRequest, note?: NoteFacts): Promise<MergeResult> {
    const host = await this.#of(request.workspaceId, request.repository)
    if ('refused' in host) return { merged: false, reason: host.refused }
    return orRefusal<MergeResult>(host.merge(request, note), (reason) => ({
      merged: false,
      reason,
      isPending: true,
    }))
  }

  async checkMain(request: MergeRequest): Promise<MainCheck> {
    const host = await this.#of(request.workspaceId, request.repository)
    // Whatever became of the connection: the merge is made, and somebody has to look at it.
    return 'refused' in host
      ? { state: 'by_runner' }
      : orRefusal(host.checkMain(request), () => ({ state: 'by_runner' }))
  }

  async readMain(request: MainRequest): Promise<MainNow | null> {
    const host = await this.#of(request.workspaceId, request.repository)
    return 'refused' in host ? null : orRefusal(host.readMain(request), () => null)
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
    return 'refused' in host ? host : orRefusal(host.openRevert(request), waitOrRefused)
  }

  async revertCommit(request: RevertRequest): Promise<Opened> {
    const { repository: address, teamRepository: own } = request
    if (address !== null && !isSame(address, own))
      return { refused: `${address} is not the repository of the team.` }
    const host = await this.#of(request.workspaceId, own)
    return 'refused' in host ? host : orRefusal(host.revertCommit(request), waitOrRefused)
  }

  async #of(workspaceId: string, repository: TeamRepository | null): Promise<GitHost | { refused: string }> {
    const { local, open, ...own } = this.#options
    if (!repository?.connectionId) return local
    const connection = await open(workspaceId, repository.connectionId)
    if (!connection)
      return { refused: `${repository.name} is at ${repository.host}, which is not connected.` }
    const Tool = tools[connection.kind as keyof typeof tools]
    return Tool
      ? new Tool({ connection, ...own })
      : { refused: `${connection.name} is a connection without repositories.` }
  }
}

/** People write an address with and without `.git`. */
const isSame = (address: string, own: TeamRepository | null) =>
  own !== null &&
  [own.name, own.address].some((known) => known.replace(/\.git$/, '') === address.replace(/\.git$/, ''))

const refused = (reason: string) => ({ refused: reason })
const waitOrRefused = (reason: string, isMendable: boolean) =>
  isMendable ? { pending: reason } : { refused: reason }

/** Credentials that are not accepted are replaced by an admin: nothing is lost by waiting for it. */
async function orRefusal<T>(
  call: Promise<T>,
  otherwise: (reason: string, isMendable: boolean) => T,
): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ToolBusy || !(error instanceof ToolRefused)) throw error
    return otherwise(error.message, error.reason === 'unauthorized')
  }
}
