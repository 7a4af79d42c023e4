import type { DecisionPage } from '@signalbox/contract/app/decisions.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import type { GitHost } from '../../ports/git-host.ts'
import { requireRole } from '../../roles.ts'
import { cut } from '../changes/derive.ts'
import { parseDiff } from '../changes/parse-diff.ts'
import { shownDiff } from '../changes/read.ts'
import { isReadyAsProposed } from '../stories/readiness.ts'
import { consequenceOf, type Matter, numbersOf } from './consequence.ts'
import { parseFacts } from './facts.ts'
import { type StoredDecisionPage, selectDecisionPage } from './store.ts'
import { viewerOf } from './viewer.ts'

/** A decision with what surrounds it: what its options would do, its story, its run, and its outcome. */
export async function readDecisionPage(
  ctx: Context,
  gitHost: GitHost | null,
  key: string,
): Promise<DecisionPage> {
  const found = await selectDecisionPage(ctx.db, ctx.workspaceId, viewerOf(ctx), key)
  if (!found) throw notFound('decision', key)
  const decision = fromJson(found.json)
  const matter = matterOf(decision.kind, found, gitHost !== null)
  return {
    decision,
    consequences: decision.options.map((option) => ({
      optionId: option.id,
      sentence: consequenceOf(option, matter),
    })),
    forbidden: whyForbidden(ctx, decision.authority),
    numbers: numbersOf(matter),
    criteria: found.criteria ?? [],
    run: found.run && visible(found.run),
    race: raceOf(matter),
    changesOf: decision.runKey ?? suspectRunOf(matter),
    diff: storedDiffOf(matter),
    others: found.others,
    effects: found.effects,
  }
}

/** What both agents made, as it was when the question was asked. */
function raceOf(matter: Matter): DecisionPage['race'] {
  const isAbout = matter.kind === 'merge_approval' || matter.kind === 'verification_failed'
  const race = isAbout ? matter.facts?.race : undefined
  if (!race) return null
  const { because, agents, proposed } = race
  return {
    because,
    proposed: matter.kind === 'merge_approval' ? proposed : null,
    agents: agents.map(({ findings: _, head: __, ...figures }) => ({
      ...figures,
      state: figures.failure === null ? 'verified' : 'failed',
    })),
  }
}

/** A merge that an incident points to may be the work of a run, though no run asks. */
const suspectRunOf = (matter: Matter): string | null =>
  (matter.kind === 'revert_approval' && matter.facts?.incident && matter.facts.merge?.run) || null

/** Of a merge that no run of ours made, the change is stored with the question. */
function storedDiffOf(matter: Matter): DecisionPage['diff'] {
  const stored =
    matter.kind === 'revert_approval' && matter.facts?.incident ? matter.facts.merge?.diff : undefined
  return stored ? shownDiff(parseDiff(stored.text), stored.isCut ? [cut.says] : []) : null
}

function matterOf(
  kind: Decision['kind'],
  { facts, team, story, run, incident, proposed }: StoredDecisionPage,
  hasGitHost: boolean,
): Matter {
  return {
    ...parseFacts(kind, facts),
    team,
    story,
    run,
    incident,
    hasGitHost,
    proposedStory: proposed && {
      isReady: isReadyAsProposed(proposed),
      isExpedite: proposed.classOfService === 'expedite',
    },
  }
}

/** What the sentences are made of beyond that is not part of the answer. */
function visible({ costMicros: _, changes: __, ...run }: NonNullable<StoredDecisionPage['run']>) {
  return run
}

/** In the words in which an answer would be refused. */
function whyForbidden(ctx: Context, authority: Decision['authority']): string | null {
  try {
    requireRole(ctx, authority, 'answer this decision')
    return null
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}
