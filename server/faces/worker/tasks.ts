import { type Context, theService } from '../../domain/context.ts'
import { type Performers, performEffect } from '../../domain/effects/perform.ts'
import type { GitHost } from '../../domain/ports/git-host.ts'
import type { Splitter } from '../../domain/ports/splitter.ts'
import type { Tracker } from '../../domain/ports/tracker.ts'
import type { WorkPort } from '../../domain/ports/work.ts'
import { submitProposal } from '../../domain/requirements/submit-proposal.ts'
import { writeStory } from '../../domain/requirements/write-story.ts'
import { dispatchTeam } from '../../domain/runs/dispatch.ts'
import { handOut } from '../../domain/runs/hand-out.ts'
import { mergeChange, openRevert, watchMain } from '../../domain/runs/merge.ts'
import { sweep } from '../../domain/runs/sweep.ts'
import { commentIssue } from '../../domain/stories/comment-issue.ts'
import type { Jobs, Wake } from '../../infra/jobs/queue.ts'
import type { Logger } from '../../infra/log.ts'
import type { Metrics } from '../../infra/metrics.ts'

/** How the engine reaches out. */
export interface Ports {
  work: WorkPort
  gitHost: GitHost
  tracker: Tracker
  splitter: Splitter
}

export interface WorkerServices extends Pick<Context, 'db' | 'clock'> {
  queue: Jobs
  ports: Ports
  log: Logger
  metrics: Metrics
}

/** Time is a caller too: turns wake-ups into verbs. */
export async function workerFace({
  db,
  clock,
  queue,
  ports,
  log,
  metrics,
}: WorkerServices): Promise<{ stop(): Promise<void> }> {
  const performers = performersFor(ports)
  const tasks: Record<string, (ctx: Context, id: string) => Promise<unknown>> = {
    team: (ctx, id) => dispatchTeam(ctx, id, ports.work),
    effect: (ctx, id) => performEffect(ctx, id, performers),
  }
  const answer = async ({ task, workspaceId, id }: Wake) => {
    const ctx: Context = { db, clock, queue, workspaceId, actor: theService, channel: 'schedule' }
    try {
      await tasks[task]!(ctx, id)
    } catch (error) {
      log.warn({ err: error, task, workspace: workspaceId, id }, 'a wake-up failed; it is tried again')
      sweepSoon()
      throw error
    }
  }
  const onError = (error: Error) => log.warn({ err: error }, 'the sweeper passed something over')
  const sweepOnce = async () => {
    const swept = await sweep({ db, clock, queue }, { work: ports.work, performers }, onError)
    metrics.stuckRuns.set(swept.stuck)
    if (swept.stuck > 0)
      log.warn({ stuck: swept.stuck }, 'runs are stuck; `npm run signalbox -- admin run stuck` says why')
  }
  // After trouble, such as a database that was away, what was interrupted is not left lying until the next full minute.
  let soon: NodeJS.Timeout | undefined
  let sweeping: Promise<void> = Promise.resolve()
  const sweepSoon = () => {
    soon ??= setTimeout(() => {
      soon = undefined
      sweeping = sweepOnce().catch(sweepSoon)
    }, soonMs)
  }
  await queue.work(answer, sweepOnce, sweepSoon)
  // The same for what was left lying when the last node stopped.
  sweeping = sweepOnce().catch(onError)
  return {
    async stop() {
      clearTimeout(soon)
      await sweeping
      await queue.stop()
    },
  }
}

const soonMs = 5_000

export const performersFor = ({ work, gitHost, tracker, splitter }: Ports): Performers => ({
  hand_out: handOut(work),
  merge: mergeChange(gitHost),
  check_main: watchMain(gitHost),
  open_revert: openRevert(gitHost),
  comment_issue: commentIssue(tracker),
  write_story: writeStory(tracker),
  submit_requirement: submitProposal(splitter),
})
