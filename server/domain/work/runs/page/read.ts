import type { RunPage } from '@signalbox/contract/app/runs.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../../context.ts'
import { notFound } from '../../../errors.ts'
import { currentPolicy } from '../../policies/current.ts'
import { isOpen } from '../phase.ts'
import { shownRace } from '../race.ts'
import { readRun } from '../read.ts'
import { readPullRequests } from '../read-pull-requests.ts'
import { selectRunPage } from './store.ts'
import { stagesOfQuestions, timelineOf } from './timeline.ts'

/** Everything the page of a run shows. */
export async function readRunPage(ctx: Context, key: string): Promise<Json<RunPage>> {
  const [run, pullRequests, facts] = await Promise.all([
    readRun(ctx, key),
    readPullRequests(ctx, key),
    selectRunPage(ctx.db, ctx.workspaceId, key, ctx.clock.now()),
  ])
  if (!facts) throw notFound('run', key)
  const policy = await currentPolicy(ctx.db, ctx.workspaceId, facts.teamId)
  const { createdAt, teamId, team, attempts, marks, dayMicros, monthMicros, race, ...shown } = facts
  const rest: Omit<RunPage, 'run'> = {
    ...shown,
    pullRequests: [...pullRequests],
    race: race && shownRace(race, isOpen(facts.phase)),
    team: {
      ...team,
      day: { spentCents: centsOf(dayMicros), limitCents: policy?.budgets.dayCents ?? null },
      month: { spentCents: centsOf(monthMicros), limitCents: policy?.budgets.monthCents ?? null },
    },
    timeline: timelineOf({
      createdAt: createdAt.getTime(),
      attempts,
      asked: facts.decisions.map((decision) => ({
        from: Date.parse(decision.createdAt),
        to: decision.resolvedAt ? Date.parse(decision.resolvedAt) : null,
        stage: stagesOfQuestions[decision.kind] ?? null,
      })),
      marks,
    }),
  }
  // The run itself was rendered by the database and is passed on as it is.
  return `{"run":${run},${JSON.stringify(rest).slice(1)}` as Json<RunPage>
}

const centsOf = (micros: number) => Math.ceil(micros / 10_000)
