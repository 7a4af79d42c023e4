import { Readable } from 'node:stream'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { ToolBusy } from '../../ports/connection.ts'
import type { GitAnswer, GitHost, GitRequest } from '../../ports/git-host.ts'
import { teamRepository } from '../../work/repositories/of-team.ts'
import { findOrder, outdated } from '../orders/find-order.ts'
import type { GitToken } from './git-tokens.ts'
import { pushOnly } from './push-commands.ts'
import { pushedBranch } from './pushed-branch.ts'
import { isConnected } from './store.ts'

/** Of what git sends: what it wants and has, and what it pushes. What a run has made was uploaded before, in less. */
const mostSent = { 'git-upload-pack': 64 * 1024 ** 2, 'git-receive-pack': 1024 ** 3 }

/**
 * Passes on a request of git's to the host of an order's repository, for the runner that has the order now. What the token says
 * is what was so when it was given; here it is looked up what is so.
 */
export async function relayGit(
  ctx: Context,
  gitHost: Pick<GitHost, 'relay'> | null,
  gitToken: GitToken,
  request: GitRequest,
): Promise<GitAnswer> {
  const { service, headers } = request
  const isPush = service === 'git-receive-pack'
  if (isPush && gitToken.access !== 'write')
    throw new DomainError('insufficient_scope', 'This credential is for reading. Ask for one to write.')
  const order = await findOrder(ctx, gitToken.runnerId, gitToken)
  if (!order.isOpen || !(await isConnected(ctx.db, ctx.workspaceId, gitToken.runnerId, ctx.clock.now())))
    throw outdated()
  const { name, connectionId } = gitToken.repository
  const isAbout = order.repositories.length === 0 || order.repositories.includes(name)
  const wanted = order.repositories.length === 0 ? null : name
  const repository = isAbout ? await teamRepository(ctx.db, ctx.workspaceId, order.teamId, wanted) : null
  if (repository?.name !== name || repository.connectionId !== connectionId || !gitHost)
    throw new DomainError(
      'conflict',
      `The code of the team is no longer at ${name}. Ask for a credential again.`,
    )
  const branch = pushedBranch(order)
  if (isPush && !branch) throw new DomainError('insufficient_scope', 'This work order has nothing to push.')
  if (Number(headers['content-length'] ?? 0) > mostSent[service]) throw tooLarge(service)

  let overrun: DomainError | null = null
  const measured = request.body && (await bodyOf(request.body))
  try {
    const answer = await gitHost.relay(ctx.workspaceId, repository, { ...request, body: measured })
    if ('refused' in answer) throw new DomainError('tool_refused', answer.refused)
    return answer
  } catch (error) {
    if (overrun) throw overrun
    throw error instanceof ToolBusy ? new DomainError('tool_unavailable', error.message) : error
  }

  async function bodyOf(sent: Readable): Promise<Readable> {
    const checked = isPush ? await pushOnly(sent, branch!) : sent
    return Readable.from(upTo(checked), { objectMode: false })
  }

  /** Stops reading at the limit without closing the stream, so that the sender still gets the reason. */
  async function* upTo(sent: Readable) {
    let bytes = 0
    for await (const chunk of sent.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > mostSent[service]) {
        overrun = tooLarge(service)
        throw overrun
      }
      yield chunk
    }
  }
}

const tooLarge = (service: GitRequest['service']) =>
  new DomainError('payload_too_large', `Git sent more than ${mostSent[service] / 1024 ** 2} MB.`)
