import type { Decision, DecisionOption } from '@signalbox/contract/decision.ts'
import { dictionary } from '@signalbox/contract/dictionary.ts'
import { executorNames } from '@signalbox/contract/executor-names.ts'
import { money } from '@signalbox/contract/money.ts'
import type { Gate, RunListed } from '@signalbox/contract/run.ts'
import type { ReviewFinding } from '@signalbox/contract/second-review.ts'
import type { AnswerOption } from '../../ports/work.ts'
import { authorities } from './authority.ts'
import type { Asker, Facts } from './facts.ts'
import { asCode, asLink, oneLine, quoted, quotedLines } from './quote.ts'

type Option = Omit<DecisionOption, 'recommended'>
type Kind = Decision['kind']

/** A decision as it is raised: what is asked, why, and what can be answered. */
interface Question extends Pick<Decision, 'title' | 'body' | 'recommendation'> {
  options: Option[]
}

/** What a question is about. */
interface Subject<K extends Kind> {
  /** The story's title, or the proposal's. */
  title: string
  facts: Facts[K]
}

type Ask<K extends Kind> = (subject: Subject<K>) => Question

const option = (id: string, label: string, action: Option['action']): Option => ({ id, label, action })
const paragraphs = (...parts: (string | null)[]) => parts.filter((part) => part !== null).join('\n\n')
const code = (paths: string[]) => paths.map((path) => `- ${asCode(path)}`).join('\n')
const gateLines = (gates: Gate[]) =>
  gates.map((gate) => quoted(`${gate.name}: ${gate.summary}`)).join('\n>\n')
const pullRequestLine = (request: RunListed['pullRequest']) =>
  request ? `Pull request #${request.number}: ${asLink(request.url)}` : null

type OfIncident = Extract<Facts['revert_approval'], { incident: string }>

/** The merge at a glance: what it is, whose, when, and what ties it to the alerts. */
function mergeLines({ revert, merge, pullRequest }: OfIncident): string {
  const { commit, repository, title } = revert
  const short = asCode(commit.slice(0, 12))
  return [
    `- Merge: ${asCode(title)}, ${merge?.url ? `[${short}](${merge.url})` : short}`,
    repository && `- Repository: ${asLink(repository)}`,
    merge && `- Author: ${asCode(merge.author)}`,
    pullRequest
      ? `- ${pullRequestLine(pullRequest)}`
      : revert.pullRequest && `- Pull request #${revert.pullRequest}`,
    merge?.run && `- Merged by ${merge.run}`,
    merge && `- Merged ${before(merge.minutes)} before the first alert`,
    merge &&
      merge.common.length > 0 &&
      `- Files in common with the alerts: ${merge.common.map(asCode).join(', ')}`,
  ]
    .filter((line) => typeof line === 'string' && line !== '')
    .join('\n')
}

/** In minutes, which a responder counts in; a merge of days ago also in hours, as the investigation says it. */
const before = (minutes: number) => {
  if (minutes === 0) return 'less than a minute'
  if (minutes < 120) return counted(minutes, 'minute')
  return `${counted(Math.round(minutes / 60), 'hour')} (${counted(minutes, 'minute')})`
}

const counted = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

const togetherLine = (requests: { name: string; pullRequest: NonNullable<RunListed['pullRequest']> }[]) =>
  paragraphs(
    'Pull requests, merged together in this order:',
    requests
      .map(({ name, pullRequest }) => `- ${asCode(name)} #${pullRequest.number}: ${asLink(pullRequest.url)}`)
      .join('\n'),
  )

/** What else is notable about a change, apart from its paths. */
const findingLines = (findings: string[] = []) =>
  findings.length === 0
    ? null
    : paragraphs('About this change:', findings.map((one) => quoted(one)).join('\n>\n'))

/** What the policy would have merged automatically, if that is why a person is asked. */
const policyLine = ({ limit, because = ['policy'] }: Facts['merge_approval']) =>
  because.includes('policy') || because.includes('lines')
    ? ` The policy merges ${(limit ?? 0) > 0 ? `up to ${limit} lines` : 'nothing'} without asking.`
    : ''

/** Why a person is asked although the policy merges automatically. */
const reasons: Record<string, string> = dictionary({
  gates:
    'No gate ran on it, so nothing shows that it works. Add .kanman/gates.yml to say how a change is checked.',
  main: 'Gates that were already failing on main say nothing about it. While main is red, merges are on hold.',
  unsigned: 'The runner didn’t sign what it says about the gates.',
  findings: 'A person needs to review part of this change; see below.',
  spec: 'The policy requires an acceptance spec, and this run has none.',
  review:
    'The policy asks a person when a second review finds something of high severity or doesn’t happen; see below.',
})
const reasonLines = (because: string[] = []) => {
  const known = because.flatMap((reason) => reasons[reason] ?? [])
  return known.length === 0 ? null : known.map((one) => `- ${one}`).join('\n')
}

/** More than this is read in the evidence. */
const mostReviewLines = 10

/** What another coding agent found: its words, so they are quoted. */
function reviewLines(review: Facts['merge_approval']['secondReview']): string | null {
  if (!review) return null
  const { result, agent, says, findings } = review
  const by = agent ? ` by ${executorNames[agent]}` : ''
  const shown = findings.slice(0, mostReviewLines).map(findingLine)
  const rest = findings.length - shown.length
  return paragraphs(
    result === 'reviewed'
      ? `Second review${by}: ${findings.length === 0 ? 'no findings' : counted(findings.length, 'finding')}.`
      : `Second review${by}:`,
    says === null ? null : quoted(says),
    shown.length === 0 ? null : shown.map((line) => quoted(line)).join('\n>\n'),
    rest > 0 ? `The evidence of the run has ${rest} more.` : null,
  )
}

const findingLine = ({ severity, file, line, says }: ReviewFinding) =>
  `${severity}${file === null ? '' : `, ${file}${line === null ? '' : `:${line}`}`}: ${says}`

const startOver = [
  option('retry', 'Try again', 'retry'),
  option('changes', 'Continue with my guidance', 'request_changes'),
  option('abandon', 'End the run and return the story', 'abandon'),
]

/** The question that a kind of decision asks about these facts. */
export const questionOf = <K extends Kind>(
  kind: K,
  subject: Subject<K>,
): Question & Pick<Decision, 'authority'> => ({ ...kinds[kind](subject), authority: authorities[kind] })

/** Every kind of decision, with the question it asks. Reads beside the table of kinds in docs/manual/decisions.md. */
const kinds: { [K in Kind]: Ask<K> } = {
  plan_approval: ({ title, facts }) => ({
    title: `Approve the plan: ${title}`,
    body: paragraphs(
      `A person needs to approve this plan because ${facts.because}.`,
      facts.plan === null ? null : quoted(facts.plan),
    ),
    options: [
      option('approve', 'Approve the plan', 'approve_plan'),
      option('changes', 'Request changes to the plan', 'request_changes'),
      option('reject', 'Reject and return the story', 'reject'),
    ],
    recommendation: 'approve',
  }),

  policy_exception: ({ title, facts }) => ({
    title: `Allow a denied path for this run: ${title}`,
    body: paragraphs(
      `The team’s policy denies these paths, which ${facts.foundIn} touches:`,
      code(facts.paths),
      facts.plan === null ? null : quoted(facts.plan),
      findingLines(facts.findings),
      'An exception applies to this run only. Without one, the run can continue within the policy, or end.',
    ),
    options: [
      option('allow', 'Allow for this run', 'allow_once'),
      option('changes', 'Continue without these paths', 'request_changes'),
      option('reject', 'Reject and return the story', 'reject'),
    ],
    recommendation: 'changes',
  }),

  clarification: ({ title, facts }) => {
    if (facts.asker) return askedFromOutside(title, facts, facts.asker)
    const answers = answersTo(facts.options, facts.recommendation)
    return {
      title:
        oneLine(facts.question).slice(0, 300).toWellFormed() || `The coding agent has a question: ${title}`,
      body: paragraphs(
        'The coding agent has a question. It continues with your answer and your note.',
        quoted(facts.question),
        quoted(facts.context),
      ),
      options: [...answers.options, option('abandon', 'End the run and return the story', 'abandon')],
      recommendation: answers.recommendation,
    }
  },

  budget_stop: ({ title, facts }) => ({
    title: `The run has reached its budget: ${title}`,
    body: `${money(Number(facts.costCents))} of ${money(Number(facts.budgetCents))} has been spent. Raising the budget takes it to ${money(Number(facts.raisedCents))}, and the run continues where it stopped.`,
    options: [
      option('raise', 'Raise the budget and continue', 'raise_budget'),
      option('abandon', 'End the run and return the story', 'abandon'),
    ],
    recommendation: 'raise',
  }),

  verification_failed: ({ title, facts }) =>
    facts.conflict !== undefined
      ? conflicts(title, facts.conflict)
      : facts.unverified !== undefined
        ? unverified(title, facts.unverified)
        : facts.race !== undefined
          ? neither(title, facts.race)
          : failed(title, facts.gates),

  gate_failure: ({ title, facts }) => ({
    title: `Couldn’t write a working acceptance spec: ${title}`,
    body: paragraphs(
      'An acceptance spec must fail before the work and pass after it. Writing one failed:',
      quotedLines(facts.error),
    ),
    options: startOver,
    recommendation: 'changes',
  }),

  diff_guard: ({ title, facts }) => ({
    title: `The implementation changed the acceptance spec: ${title}`,
    body: paragraphs(
      'A run is measured by its acceptance spec, so it can’t change it. Changed files:',
      code(facts.paths),
      findingLines(facts.findings),
    ),
    options: [
      option('restore', 'Restore the spec and try again', 'revert_spec_and_retry'),
      option('abandon', 'End the run and return the story', 'abandon'),
    ],
    recommendation: 'restore',
  }),

  repeated_gate_failure: ({ title, facts }) => ({
    title: `A gate failed more often than the policy allows: ${title}`,
    body: paragraphs(
      `Failures per gate that the policy allows in a run: ${facts.budget}.`,
      ...facts.gates.flatMap((gate) => [
        `Failures of this gate so far: ${gate.failures}.`,
        gateLines([gate]),
      ]),
    ),
    options: startOver,
    recommendation: 'abandon',
  }),

  merge_approval: ({ title, facts }) => ({
    title: `Merge the verified change: ${title}`,
    body: paragraphs(
      facts.race ? raceLines(facts.race) : null,
      `${facts.gatesPassed === 0 ? 'No gate failed, and none passed.' : 'Every gate passed.'} The change has ${facts.lines} added and deleted ${facts.lines === 1 ? 'line' : 'lines'} in ${facts.files} ${facts.files === 1 ? 'file' : 'files'}.${policyLine(facts)}`,
      reasonLines(facts.because),
      findingLines(facts.findings),
      reviewLines(facts.secondReview),
      facts.pullRequests ? togetherLine(facts.pullRequests) : pullRequestLine(facts.pullRequest),
    ),
    options: [
      option(
        'merge',
        facts.pullRequests
          ? `Merge the ${facts.pullRequests.length} pull requests`
          : facts.race
            ? `Merge ${agentName(facts.race, facts.race.proposed)}’s change`
            : 'Merge the pull request',
        'merge',
      ),
      ...(facts.race?.isOtherMergeable
        ? [option(mergeOther, `Merge ${agentName(facts.race, otherIn(facts.race))}’s change`, 'merge')]
        : []),
      option('changes', 'Request changes', 'request_changes'),
      option('reject', 'Reject and return the story', 'reject'),
    ],
    recommendation: 'merge',
  }),

  revert_approval: ({ title, facts }) => ({
    title: `Revert the merge: ${title}`,
    body: paragraphs(
      facts.incident
        ? `The investigation of ${facts.incident} points to this merge:`
        : 'isUnverified' in facts
          ? 'What was merged isn’t what was verified:'
          : 'isHalfMerged' in facts
            ? 'The change spans several repositories, and only part of it could be merged:'
            : 'The main branch turned red after this merge:',
      quotedLines(facts.findings),
      facts.incident ? mergeLines(facts) : pullRequestLine(facts.pullRequest),
    ),
    options: [
      option('revert', 'Open a revert pull request', 'open_revert'),
      // A merge that an incident points to has no run that could try again.
      ...(facts.incident ? [] : [option('forward', 'Fix it with another attempt', 'retry')]),
      option('leave', 'Keep the merge', 'decline_proposal'),
    ],
    recommendation: 'revert',
  }),

  main_red_incident: ({ title, facts }) => ({
    title,
    body: paragraphs('Merges are on hold until the main branch is green.', quotedLines(facts.body)),
    options: [
      option('fix', 'Start a fix now', 'accept_proposal'),
      option('leave', 'Let people handle it', 'decline_proposal'),
    ],
    recommendation: 'fix',
  }),

  maintenance_proposal: ({ title, facts }) =>
    facts.incident !== undefined
      ? onIncident(title, facts)
      : {
          title: oneLine(title),
          body: paragraphs('Maintenance mode found something worth a story:', quoted(facts.body)),
          options: proposal,
          recommendation: 'accept',
        },

  strategy_proposal: ({ title, facts }) => ({
    title: oneLine(title),
    body: paragraphs('Proposed from the repository’s strategy notes:', quoted(facts.body)),
    options: proposal,
    recommendation: 'accept',
  }),

  scope_change: ({ title, facts }) => ({
    title: `Change the scope: ${title}`,
    body: paragraphs('What would change:', quoted(facts.change), 'The wider plan:', quoted(facts.plan)),
    options: [
      option('keep', 'Keep the scope', 'request_changes'),
      option('widen', 'Widen the scope', 'approve_plan'),
      option('reject', 'Reject and return the story', 'reject'),
    ],
    recommendation: 'keep',
  }),
}

type Race = NonNullable<Facts['merge_approval']['race']>

/** The option that merges the change which was not proposed. */
export const mergeOther = 'merge_other'

const otherIn = ({ proposed }: Race) => (proposed === 0 ? 1 : 0)
const agentName = ({ agents }: Race, at: number) => executorNames[agents[at]!.executor]

const whyProposed: Record<NonNullable<Race['because']>, string> = {
  only: 'it’s the only change that was verified',
  gates: 'more gates passed',
  size: 'its change is smaller',
  cost: 'both changes have the same number of lines, and it cost less',
  first: 'both changes have the same size and cost, and it went first',
}

/** Both agents with their figures, and which change is proposed by which rule. */
const raceLines = (race: Race) =>
  paragraphs(
    `Two agents worked on this story from the same commit, with the same plan and acceptance spec. ${
      race.because === null
        ? `${agentName(race, race.proposed)}’s change is the one at hand.`
        : `${agentName(race, race.proposed)}’s change is proposed because ${whyProposed[race.because]}.`
    }`,
    race.agents.map((agent) => `- **${executorNames[agent.executor]}**: ${figuresOf(agent)}`).join('\n'),
    ...race.agents.flatMap(({ executor, findings }, at) =>
      at !== race.proposed && findings.length > 0
        ? [`About ${executorNames[executor]}’s change:`, findings.map((one) => quoted(one)).join('\n>\n')]
        : [],
    ),
  )

function figuresOf({
  passed,
  failed: gates,
  additions,
  deletions,
  files,
  costCents,
  failure,
}: Race['agents'][number]) {
  const verdict =
    gates.length > 0
      ? `${counted(gates.length, 'gate')} failed (${gates.map(asCode).join(', ')})`
      : failure === null
        ? `${counted(passed, 'gate')} passed`
        : `no change to merge (${asCode(oneLine(failure).slice(0, 300).toWellFormed())})`
  const size = files > 0 ? `, +${additions} −${deletions} in ${counted(files, 'file')}` : ''
  return `${verdict}${size}, ${money(costCents)}`
}

const neither = (title: string, race: Race): Question => ({
  title: `Neither agent’s change passed: ${title}`,
  body: paragraphs(
    'Two agents worked on this story from the same commit, with the same plan and acceptance spec. No change can be merged.',
    race.agents.map((agent) => `- **${executorNames[agent.executor]}**: ${figuresOf(agent)}`).join('\n'),
    `The run continues with ${agentName(race, race.proposed)} if you try again.`,
  ),
  options: startOver,
  recommendation: 'retry',
})

const failed = (title: string, gates: Gate[]): Question => ({
  title: `Verification failed after automatic rework: ${title}`,
  body: paragraphs('These gates failed:', gateLines(gates)),
  options: startOver,
  recommendation: 'retry',
})

/** The main branch moved on, and did so again after the work was redone. */
const conflicts = (title: string, reason: string): Question => ({
  title: `Can’t be merged anymore: ${title}`,
  body: paragraphs(
    quoted(reason),
    'Signalbox has already redone the work from the main branch once, or a person did the work. Trying again starts from the current main branch.',
  ),
  options: startOver,
  recommendation: 'retry',
})

/** A person's work that no runner can look at. What they say of it is no proof, so it is not merged. */
const unverified = (title: string, reason: string): Question => ({
  title: `Couldn’t verify the work that was handed off: ${title}`,
  body: paragraphs(
    oneLine(reason),
    'No gate has run, so Signalbox won’t merge it. If you’ve reviewed and merged the change yourself, stop the run and move the story to Done.',
  ),
  options: [
    option('retry', 'Have the team work on it', 'retry'),
    option('abandon', 'End the run and return the story', 'abandon'),
  ],
  recommendation: 'abandon',
})

/**
 * An agent's options, as far as they can be offered: three at most, the recommended one among them, each with an id of
 * its own. Without any, the answer is in the note.
 */
function answersTo(given: AnswerOption[], recommended: string) {
  const preferred = given.find(({ id }) => id === recommended) ?? given[0] ?? inTheNote
  const offered = given.length > 0 ? given.slice(0, 3) : [inTheNote]
  if (!offered.includes(preferred)) offered[2] = preferred
  const ids = offered.map(({ id }) => id)
  const areUsable =
    new Set([...ids, 'abandon']).size === ids.length + 1 && ids.every((id) => /^\S{1,200}$/.test(id))
  const options = offered.map(({ id, label }, index) =>
    option(areUsable ? id : `answer-${index + 1}`, oneLine(label) || `Answer ${index + 1}`, 'answer'),
  )
  return { options, recommendation: options[offered.indexOf(preferred)]!.id }
}
const inTheNote: AnswerOption = { id: 'note', label: 'Answer in the note' }

/** A question of a person's own coding agent. Whatever is answered, nothing ends by it. */
const askedFromOutside = (
  title: string,
  { question, context, options, recommendation }: Facts['clarification'],
  { name }: Asker,
): Question => ({
  title: oneLine(question).slice(0, 300).toWellFormed() || `A coding agent has a question: ${title}`,
  body: paragraphs(
    `${oneLine(name)}’s coding agent has a question about this story. It gets your answer and your note.`,
    quoted(question),
    context === '' ? null : quoted(context),
  ),
  options: options.map(({ id, label }) => option(id, oneLine(label), 'answer')),
  recommendation,
})

/** What a person is asked when an incident comes from the code, or from something that only people may touch. */
const onIncident = (
  title: string,
  facts: Extract<Facts['maintenance_proposal'], { incident: string }>,
): Question => ({
  title: oneLine(title),
  body: paragraphs(
    facts.expedite
      ? `The investigation of ${facts.incident} found the cause in the code, but no merge to revert:`
      : `The investigation of ${facts.incident} found the cause outside the code. Signalbox never changes production, so a person needs to act.`,
    quotedLines(facts.body),
  ),
  options: [
    option('accept', facts.expedite ? 'Start the urgent fix' : 'File a story for it', 'accept_proposal'),
    option('decline', 'Leave it to the person on call', 'decline_proposal'),
  ],
  recommendation: facts.expedite ? 'accept' : 'decline',
})

const proposal = [
  option('accept', 'File it as a story', 'accept_proposal'),
  option('decline', 'Decline and don’t propose it again', 'decline_proposal'),
]
