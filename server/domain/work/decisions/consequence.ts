import type { DecisionOption } from '@signalbox/contract/decision.ts'
import { microsPerCent, money } from '@signalbox/contract/money.ts'
import { needsGuidance } from '@signalbox/contract/note-needed.ts'
import type { Evidence, RunListed } from '@signalbox/contract/run.ts'
import { raisedBudget } from '../runs/raised-budget.ts'
import type { Recalled } from './facts.ts'

/** What an option leads to depends on this, as it is at the time of reading. */
export type Matter = Recalled & {
  team: string
  story: { key: string; trackerKey: string | null } | null
  run: {
    key: string
    stage: RunListed['stage']
    attempts: number
    budgetCents: number
    costMicros: number
    pullRequest: RunListed['pullRequest']
    changes: Evidence['changes'] | null
  } | null
  incident: string | null
  hasGitHost: boolean
  /** What accepting the proposal would file; null: it is only an idea. */
  proposedStory: { isReady: boolean; isExpedite: boolean } | null
}

type Option = Pick<DecisionOption, 'label' | 'action'>

/** What choosing an option would do, in a sentence: what the files in engine/answers/ do, told beforehand. */
export const consequenceOf = (option: Option, matter: Matter): string =>
  consequences[option.action](matter, option)

const consequences: Record<DecisionOption['action'], (matter: Matter, option: Option) => string> = {
  approve_plan: (matter) =>
    matter.kind === 'scope_change'
      ? `The wider plan replaces the old one, and implementation of ${storyOf(matter)} starts.`
      : `The plan is approved, and implementation of ${storyOf(matter)} starts.`,

  request_changes: (matter, { label }) =>
    `The run ${matter.run?.stage === 'planning' ? 'plans again' : 'continues'} with your note as input. ${needsGuidance({ action: 'request_changes', label }) ? 'Add a note to say what to change.' : `Without one, it’s told “${label}”.`}`,

  allow_once: (matter) => {
    const paths = (matter.kind === 'policy_exception' && matter.facts?.paths) || []
    return `${named(paths)} allowed for ${matter.run?.key ?? 'this run'} only, and the run continues.`
  },

  reject: (matter) =>
    `The run ends, and ${storyOf(matter)} returns to Backlog with your note${matter.story?.trackerKey ? `, which is also added to ${matter.story.trackerKey}` : ''}.`,

  raise_budget: ({ run }) =>
    run
      ? `The run’s budget goes from ${money(run.budgetCents)} to ${money(raisedBudget(run.budgetCents, run.costMicros))}, and the run continues.`
      : 'The run’s budget is raised and the run continues.',

  abandon: (matter) => `The run ends, and ${storyOf(matter)} returns to Backlog.`,

  revert_spec_and_retry: (matter) => `The acceptance spec is restored, and ${nextAttempt(matter)} starts.`,

  retry: (matter) =>
    matter.kind === 'revert_approval'
      ? `The merge stays for now, and ${nextAttempt(matter)} starts to fix it with your note as guidance.`
      : `${capital(nextAttempt(matter))} starts with your note as guidance.`,

  answer: (matter, { label }) => {
    const asker = matter.kind === 'clarification' ? matter.facts?.asker : undefined
    return asker
      ? `“${label}” goes to ${asker.name}’s coding agent with your note. Nothing else changes.`
      : `“${label}” goes to the coding agent with your note, and the run continues.`
  },

  merge: (matter) =>
    !matter.hasGitHost
      ? `No git host is connected, so the run fails and someone has to merge pull request ${numberOf(matter)} manually.`
      : `Pull request ${numberOf(matter)} is merged. ${storyOf(matter)} is done once the main branch is green.`,

  open_revert: (matter) =>
    !matter.hasGitHost
      ? `No git host is connected, so ${matter.run ? 'the run fails and ' : ''}someone has to revert the merge manually.`
      : matter.run
        ? `A pull request to revert ${numberOf(matter)} is opened, and the run fails.`
        : `A pull request to revert the suspected merge is opened${matter.incident ? ` for ${matter.incident}` : ''}.`,

  accept_proposal: ({ proposedStory, team }) => {
    if (!proposedStory) return `The proposal becomes a requirement of ${team}, to be drafted as stories.`
    const story = proposedStory.isExpedite ? 'An expedite story' : 'A story'
    return proposedStory.isReady
      ? `${story} is filed in Ready. ${team} starts on it when it has a free slot.`
      : `${story} is filed in Refining. It needs refining before ${team} can start on it.`
  },

  decline_proposal: (matter) => {
    if (matter.run) return `The merge stays, other merges can go ahead, and ${storyOf(matter)} is done.`
    if (matter.kind === 'revert_approval') return 'The suspected merge stays.'
    if (matter.incident)
      return `Nothing is started. ${matter.incident} is left to the person on call, and no one is asked about this alert again.`
    if (matter.kind === 'main_red_incident')
      return 'Nothing is started. Merges stay on hold until the main branch is green.'
    return 'The proposal is declined and won’t be made again.'
  },
}

/** The numbers that an answer is weighed by, for the kinds that are about numbers. */
export function numbersOf({ kind, facts, run }: Matter): { label: string; value: string }[] {
  if (kind === 'budget_stop' && run) {
    return [
      { label: 'Spent', value: money(Math.ceil(run.costMicros / microsPerCent)) },
      { label: 'Budget', value: money(run.budgetCents) },
      { label: 'Raised budget', value: money(raisedBudget(run.budgetCents, run.costMicros)) },
    ]
  }
  if (kind === 'merge_approval' && run) {
    const lines = run.changes ? run.changes.additions + run.changes.deletions : facts?.lines
    const limit = facts?.limit
    return [
      { label: 'Changed lines', value: counted(lines) },
      { label: 'Files', value: counted(run.changes?.files ?? facts?.files) },
      ...(typeof limit === 'number'
        ? [
            limit > 0
              ? { label: 'Auto-merge limit', value: `${counted(limit)} lines` }
              : { label: 'Auto-merge', value: 'off' },
          ]
        : []),
      ...(run.pullRequest ? [{ label: 'Pull request', value: `#${run.pullRequest.number}` }] : []),
    ]
  }
  return []
}

const storyOf = ({ story }: Matter) => story?.key ?? 'the story'
const nextAttempt = ({ run }: Matter) => (run ? `attempt ${run.attempts + 1}` : 'a new attempt')
const numberOf = ({ run, facts }: Matter) => {
  const request = run?.pullRequest ?? (facts && 'pullRequest' in facts ? facts.pullRequest : null)
  return request ? `#${request.number}` : 'of the run'
}
const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)
const counted = (count: number | undefined) => count?.toLocaleString('en') ?? 'unknown'

const named = (paths: string[]) => {
  if (paths.length === 0) return 'The requested access is'
  if (paths.length === 1) return `${paths[0]} is`
  if (paths.length === 2) return `${paths[0]} and ${paths[1]} are`
  return `${paths[0]} and ${paths.length - 1} other paths are`
}
