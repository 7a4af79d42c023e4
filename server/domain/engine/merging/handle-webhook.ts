import type { GitHost } from '../../ports/git-host.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { expediteMerges } from '../../record/outbox/expedite-merges.ts'
import type { HookConsumer, HookEvent } from '../../tools/connections/process-delivery.ts'
import { teamsOfRepository } from '../../work/repositories/teams-of-repository.ts'
import { lookAtMain } from './look-at-main.ts'
import { lookAtNamedPullRequest } from './look-at-pull-requests.ts'
import { takeReviews } from './take-reviews.ts'

/** What a hook of a git host hints at. */
interface Hint {
  /** The host's own id of the repository. */
  repository: string
  /** A branch that moved, or whose checks ended; null: the hook does not say which. */
  branch?: string | null | undefined
  /** A pull request that was reviewed. */
  reviewed?: number
  /** A pull request that something was done with: it may be merged, or closed. */
  pullRequest?: number
}

/**
 * Understands what git hosts send: checks and pushes of a main branch, and whatever may let a merge go on that waits at
 * the host. Nothing of the body is believed but where to look.
 */
export const handleGitWebhook =
  (gitHost: GitHost): HookConsumer =>
  async (ctx, hook) => {
    const hint = hintIn(hook)
    if (!hint) return null
    const teams = await teamsOfRepository(ctx.db, ctx.workspaceId, hook.connection.id, hint.repository)
    const said: string[] = []
    for (const team of teams) {
      if (hint.branch === null || hint.branch === team.branch) {
        const state = await lookAtMain(ctx, gitHost, team.slug, team.repository)
        if (state) said.push(`The main branch of ${team.name} is ${state}.`)
      }
      if (hint.pullRequest !== undefined)
        said.push(
          ...(await lookAtNamedPullRequest(ctx, gitHost, team.slug, {
            ...{ repository: team.repository, number: hint.pullRequest },
          })),
        )
      if (hint.reviewed !== undefined)
        said.push(
          ...(await takeReviews(ctx, gitHost, team.slug, {
            ...{ repository: team.repository, number: hint.reviewed },
          })),
        )
      await housekeeping(ctx.db, 'ask again about merges', (tx) => expediteMerges(ctx, tx, team.id))
    }
    return said.length > 0 ? said.join(' ') : teams.length > 0 ? 'Merges were checked.' : null
  }

type Fields = Record<string, unknown> | undefined

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : undefined
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const id = (value: unknown): string | null =>
  typeof value === 'number' || typeof value === 'string' ? `${value}` : null

function hintIn({ connection, event, body }: HookEvent): Hint | null {
  const said = fields(body)
  const hint = connection.kind === 'github' ? githubHint(event, said) : gitlabHint(said)
  const repository =
    connection.kind === 'github'
      ? id(fields(said?.repository)?.id)
      : (id(fields(said?.project)?.id) ?? id(said?.project_id))
  return hint && repository !== null ? { ...hint, repository } : null
}

function githubHint(event: string, body: Fields): Omit<Hint, 'repository'> | null {
  const name = event.split('.')[0]
  if (name === 'push') return { branch: branchOf(body?.ref) }
  if (name === 'check_suite') return { branch: text(fields(body?.check_suite)?.head_branch) }
  if (name === 'check_run') return { branch: text(fields(fields(body?.check_run)?.check_suite)?.head_branch) }
  if (name === 'status') return { branch: null }
  if (name !== 'pull_request' && name !== 'pull_request_review') return null
  const number = fields(body?.pull_request)?.number
  if (typeof number !== 'number') return {}
  return name === 'pull_request' ? { pullRequest: number } : { reviewed: number }
}

function gitlabHint(body: Fields): Omit<Hint, 'repository'> | null {
  const about = fields(body?.object_attributes)
  switch (body?.object_kind) {
    case 'push':
      return { branch: branchOf(body.ref) }
    case 'pipeline':
      return { branch: text(about?.ref) }
    case 'merge_request':
      return typeof about?.iid === 'number' ? { pullRequest: about.iid } : {}
    case 'note': {
      const number = fields(body.merge_request)?.iid
      return typeof number === 'number' ? { reviewed: number } : null
    }
    default:
      return null
  }
}

const branchOf = (ref: unknown): string | undefined => text(ref)?.replace(/^refs\/heads\//, '')
