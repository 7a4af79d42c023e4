import { maxNoteLength } from '@signalbox/contract/limits.ts'
import type { HandedOff, HandOff } from '@signalbox/contract/local-work.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { TeamRepository } from '../../ports/git-host.ts'
import { change } from '../../record/audit/change.ts'
import { agentText } from '../../text.ts'
import { statusOf } from '../../work/runs/phase.ts'
import { advance } from '../lifecycle/advance.ts'
import { lockOwnRun } from './holder.ts'
import { noteReport } from './note-report.ts'
import { repositoriesFor } from './repositories-for.ts'

/**
 * A person is done. Where the team has a repository and they have pushed a branch, a runner looks at it, runs the gates
 * and goes on as with any change; otherwise a person is asked, and told why no one can verify it.
 */
export async function handOffWork(ctx: Context, runKey: string, input: HandOff): Promise<HandedOff> {
  const summary = agentText('summary', input.summary, { least: 1, most: maxNoteLength })
  const { branch, commit, pullRequestUrl } = input
  if (!branch && !commit && !pullRequestUrl)
    throw new DomainError('invalid_request', 'Push a branch, then say its name and its commit.')
  if (branch !== undefined && !isBranch(branch))
    throw new DomainError('invalid_request', `\`${branch}\` is not the name of a branch.`)
  return change<HandedOff>(ctx, async (tx) => {
    const run = await lockOwnRun(ctx, tx, runKey)
    const { concerned, hasSeveral } = await repositoriesFor(tx, ctx.workspaceId, run)
    const repository = chosen(concerned, input)
    if (branch !== undefined && branch === repository?.branch) {
      throw new DomainError(
        'invalid_request',
        `\`${branch}\` is the branch that changes are merged into. Push your work to another branch.`,
      )
    }
    const handedOff = {
      summary,
      ...(input.repository ? { repository: input.repository } : {}),
      ...(branch ? { branch } : {}),
      ...(commit ? { commit } : {}),
      ...(pullRequestUrl ? { pullRequestUrl } : {}),
    }
    const { audit } = await noteReport(
      ctx,
      tx,
      run,
      { handedOff },
      {
        report: 'hand_off',
        summary,
        ...(branch ? { branch } : {}),
        ...(commit ? { commit } : {}),
        ...(pullRequestUrl ? { pullRequest: pullRequestUrl } : {}),
      },
    )
    const pushed = repository && branch && commit ? { name: branch, head: commit } : null
    const reason = repository
      ? 'No branch and commit were named, so there is nothing a runner can check out.'
      : 'The team has no repository, so no runner can run the gates.'
    // What was noted above is an event of the run, too.
    const noted = { ...run, version: run.version + 1 }
    const advanced = (await advance(
      ctx,
      tx,
      noted,
      pushed
        ? { type: 'handed_off', pushed, reason: null, at: hasSeveral ? repository!.name : null }
        : { type: 'handed_off', pushed: null, reason },
    ))!
    const { state, decision } = advanced
    return {
      value: {
        run: run.key,
        status: statusOf(state.phase),
        stage: state.stage,
        decision,
        nextStep: pushed
          ? 'A runner checks out the branch and runs the gates. The policy then says who merges it.'
          : `${reason} A person was asked what to do (${decision}).`,
      },
      audit: [audit, ...advanced.entries],
    }
  })
}

/** Where the work was pushed. With one repository there is nothing to say; with several, silence is no answer. */
function chosen(
  all: readonly TeamRepository[],
  { repository: named, branch }: HandOff,
): TeamRepository | null {
  const names = all.map(({ name }) => name).join(', ')
  if (named === undefined) {
    if (all.length > 1 && branch !== undefined)
      throw new DomainError('invalid_request', `Say in \`repository\` where you pushed it: ${names}.`)
    return all[0] ?? null
  }
  const found = all.find(({ name }) => name === named)
  if (found) return found
  throw new DomainError(
    'invalid_request',
    `The story isn’t about the repository ${named}. It is about ${names || 'none'}.`,
  )
}

/** What git takes for the name of a branch, and a little less. */
const isBranch = (name: string): boolean =>
  /^[^\s~^:?*[\\\p{Cc}]+$/u.test(name) && !/\.\.|@\{|\/\/|^[-/.]|\/\.|[/.]$|\.lock(\/|$)|^@$/.test(name)
