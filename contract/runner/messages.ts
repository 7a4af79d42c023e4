import { Type } from 'typebox'
import { PolicySettings } from '../app/policies.ts'
import { maxImageLength } from '../image.ts'
import { runKey, storyKey, teamSlug } from '../keys.ts'
import { maxCriteria, maxRunnerLabelLength, maxRunnerLabels, storyLengths } from '../limits.ts'
import { Evidence, Gate, runStages } from '../run.ts'
import { Isolation, RunnerExecutor, RunnerGit } from '../runner-facts.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { AcceptanceCriterion, complexities, sizes } from '../story.ts'
import { executor } from '../team.ts'
import { spanIdPattern, traceparentPattern } from '../trace-context.ts'

export { Isolation, RunnerExecutor, RunnerGit } from '../runner-facts.ts'

/**
 * What a runner and the server say to each other at `/runner/v1/…`; docs/runner-protocol.md tells it in words. JSON
 * over HTTPS, `Authorization: Bearer $SERVICE_API_KEY` on every call, `Signalbox-Session` after register. Fields that
 * one side does not know are ignored; an event it does not know is refused by name.
 */
export const protocolVersion = 1

/** In which the session's number travels, on every call after register. */
export const sessionHeader = 'Signalbox-Session'

const count = Type.Integer({ minimum: 0 })
const micros = Type.Integer({ minimum: 0, description: 'millionths of a unit of the currency' })
const commit = Type.String({ pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$' })
/** Of a file that was uploaded for the order. */
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const text = (maxLength: number) => Type.String({ maxLength })

export const verdicts = ['go_on', 'stop'] as const
const verdict = oneOf(verdicts)

const orderRef = { run: runKey, fence: count }

/** Asked before each register: the answer is what this start has to sign. */
export const Challenge = Type.Object({ instance: uuid, boot: uuid })
export type Challenge = Of<typeof Challenge>

export const Challenged = Type.Object({ challenge: text(400) })
export type Challenged = Of<typeof Challenged>

export const Register = Type.Object({
  /** Kept on disk: the same instance is the same runner, however often it starts. */
  instance: uuid,
  /** New with every start. */
  boot: uuid,
  name: Type.String({ minLength: 1, maxLength: 80 }),
  version: text(40),
  protocol: Type.Object({ least: count, most: count }),
  features: Type.Array(text(40), { maxItems: 50 }),
  os: text(40),
  arch: text(40),
  slots: Type.Integer({ minimum: 1, maximum: 64 }),
  labels: Type.Array(text(maxRunnerLabelLength), { maxItems: maxRunnerLabels }),
  executors: Type.Array(RunnerExecutor, { maxItems: 30 }),
  isolation: Isolation,
  /** What it can read. Left out: an older runner does not say. */
  git: Type.Optional(RunnerGit),
  /**
   * Public half of the Ed25519 key that the instance belongs to, as base64 of the raw 32 bytes. It also signs its
   * evidence.
   */
  evidenceKey: text(60),
  /** That it has the key, contract/runner/enrolment.ts; without one a runner is told to upgrade. */
  proof: Type.Optional(
    Type.Object({
      challenge: text(400),
      /** Ed25519, in base64. */
      signature: text(100),
    }),
  ),
  /** What the runner believes to hold; the answer says what of it is still wanted. */
  holds: Type.Array(Type.Object({ ...orderRef, state: oneOf(['working', 'reported', 'lost']) }), {
    maxItems: 200,
  }),
})
export type Register = Of<typeof Register>

export const Registered = Type.Object({
  runner: uuid,
  session: count,
  protocol: count,
  features: Type.Array(Type.String()),
  serverTime: timestamp,
  pollSeconds: count,
  beatSeconds: count,
  leaseSeconds: count,
  limits: Type.Object({ chunkBytes: count, lineBytes: count, reportBytes: count, fileBytes: count }),
  holds: Type.Array(Type.Object({ ...orderRef, verdict })),
  /** A sentence for the operator, such as that the runner waits for approval. */
  notice: nullable(Type.String()),
})
export type Registered = Of<typeof Registered>

export const Acquire = Type.Object({
  /** Written down before the call: the same ask gets the same order again. */
  ask: uuid,
  free: count,
  cursor: Type.Optional(Type.String()),
})
export type Acquire = Of<typeof Acquire>

/** An acceptance spec that was seen failing on the base; from then on it is what the run is measured by. */
export const PinnedSpec = Type.Object({
  /** The files as one JSON text `{path: base64}`, uploaded; its hash is the pin. Paths are relative to `folder`. */
  files: sha256,
  /** `.kanman/acceptance/<story-key>` */
  folder: text(200),
  /** What runs it, from the root of the repository. */
  command: text(2_000),
  /** Of a run in several repositories: in which of them it is. Left out: in the first. */
  repository: Type.Optional(text(200)),
})
export type PinnedSpec = Of<typeof PinnedSpec>

/** Commits that are in no repository yet, as a git bundle that was uploaded. */
export const Work = Type.Object({ base: commit, head: commit, bundle: sha256 })
export type Work = Of<typeof Work>

/**
 * What an order asks for: a stage of a run, a look at the main branch after its merge, a survey of the repository, or
 * to bring in what a person has pushed. Only runners that say so among their features are given the last two.
 */
export const jobs = ['stage', 'main_check', 'survey', 'adopt'] as const

/** Jobs that a runner is given only if it names them when registering: others do not know them. */
export const surveyFeature = 'survey'
export const adoptFeature = 'adopt'
/** A runner that takes the address of a credential as one below this protocol's own, where it says no more. */
export const relayFeature = 'relay'
/** A runner that works in several repositories at once: it is given runs that are about more than one. */
export const severalFeature = 'repositories'
/** A runner that runs the gates on a main branch for no run: it is given surveys that name a commit to check. */
export const mainCheckFeature = 'main_check'
export const runnerFeatures = [
  surveyFeature,
  adoptFeature,
  relayFeature,
  severalFeature,
  mainCheckFeature,
] as const
/**
 * A runner that can put an image into the box: it says so where it can, and is given no order with `inside` otherwise.
 */
export const imageFeature = 'image'
/** A runner that takes one order and leaves: once it has left, or fallen silent, it is on no list. */
export const ephemeralFeature = 'ephemeral'

const { maintenance: _, ...orderedSettings } = PolicySettings.properties

/** An amount in one currency. `reported`: what of it is an agent's own number, which no gateway has counted. */
export const cost = {
  currency: Type.String(),
  amount: Type.Number({ minimum: 0 }),
  reported: Type.Optional(Type.Number({ minimum: 0 })),
}

/** What every order says. */
const ordered = {
  ...orderRef,
  attempt: Type.Integer({ minimum: 1 }),
  executor,
  team: teamSlug,
  policy: Type.Object({ ...orderedSettings, version: Type.Integer() }),
  repository: Type.Object({
    /** As people know it: `halden/checkout-web`. */
    name: Type.String(),
    /** Where git finds it. A credential is asked for apart. */
    address: Type.String(),
    branch: Type.String(),
  }),
  /**
   * What is inside of the box: an image, or the one that the repository's `devcontainer.json` names on the commit that
   * the work begins from. Left out: what the machine has installed.
   */
  inside: Type.Optional(
    Type.Union([
      Type.Object({ kind: Type.Literal('image'), image: text(maxImageLength) }),
      Type.Object({ kind: Type.Literal('devcontainer') }),
    ]),
  ),
  /** What may still be spent, reserved for this order, in both currencies. */
  budget: Type.Object({ eurMicros: micros, usdMicros: nullable(micros) }),
  leaseSeconds: count,
}

/** A stage of a run, the check of its merge, or bringing in what a person has pushed. */
export const Order = Type.Object({
  ...ordered,
  job: oneOf(['stage', 'main_check', 'adopt']),
  stage: oneOf(runStages),
  story: Type.Object({
    key: storyKey,
    title: Type.String(),
    size: nullable(oneOf(sizes)),
    complexity: nullable(oneOf(complexities)),
    description: Type.String(),
    acceptanceCriteria: Type.Array(AcceptanceCriterion),
    demonstrate: nullable(Type.String()),
    /** How it is going to be tested, Markdown. */
    testPlan: Type.Optional(nullable(Type.String())),
  }),
  plan: nullable(Type.String()),
  /** What people and gates have said since the work began, oldest first. */
  guidance: Type.Array(Type.String()),
  /** Denied paths that a person has allowed for this run. */
  exceptions: Type.Array(Type.String()),
  /** The acceptance spec is to be put back as it was pinned before anything else is done. */
  restoreSpec: Type.Boolean(),
  /** The commit the run began from; null before its first order. */
  base: nullable(commit),
  spec: nullable(PinnedSpec),
  /** What the run has made so far. */
  work: nullable(Work),
  /**
   * Planning and implementing in several repositories: the others, by name, each as `repository`, `base` and `work` are
   * of the first. Only a runner with the feature `repositories` is given an order that has them.
   */
  others: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        address: Type.String(),
        branch: Type.String(),
        base: nullable(commit),
        work: nullable(Work),
      }),
    ),
  ),
  /** The branch that the run has pushed last: what stands there may be replaced, anything else is someone's. */
  pushed: Type.Optional(nullable(Type.Object({ name: Type.String(), head: commit }))),
  /** With `adopt`: what a person has pushed to the repository. Nothing of it is believed before it was measured. */
  toAdopt: Type.Optional(nullable(Type.Object({ name: text(200), head: commit }))),
  /** Of the merge that the main branch is to be checked at. */
  merged: nullable(commit),
  /** The agent's own session of this attempt, if one is known and this runner had it. */
  agentSession: nullable(Type.String()),
  /** What the attempt has cost so far, by currency; an older server does not say. */
  spent: Type.Optional(Type.Array(Type.Object(cost))),
  /** The run is traced, and spans of this order belong under this one (W3C Trace Context). Left out: it is not. */
  traceparent: Type.Optional(Type.String({ pattern: traceparentPattern })),
})
export type Order = Of<typeof Order>

export const proposalKinds = ['maintenance_proposal', 'strategy_proposal'] as const
const proposalKind = oneOf(proposalKinds)

/** Tells a proposal from another, and the same one found again from a new one: `outdated-dependency/left-pad`. */
export const fingerprint = Type.String({ pattern: '^[a-z0-9][a-z0-9._/@:+-]{0,199}$' })

/** Something that a survey found worth a story. */
export const SurveyProposal = Type.Object({
  kind: proposalKind,
  fingerprint,
  title: Type.String({ minLength: 1, maxLength: storyLengths.title }),
  /** Markdown: what was found, where, and why it is worth the work. */
  body: Type.String({ minLength: 1, maxLength: 10_000 }),
  /** Null while it is an idea: then it becomes a requirement, which is drafted as stories. */
  story: nullable(
    Type.Object({
      title: Type.String({ minLength: 1, maxLength: storyLengths.title }),
      description: Type.String({ maxLength: 10_000 }),
      acceptanceCriteria: Type.Array(Type.String({ minLength: 1, maxLength: storyLengths.criterion }), {
        maxItems: maxCriteria,
      }),
      demonstrate: nullable(Type.String({ maxLength: storyLengths.demonstrate })),
      size: nullable(oneOf(sizes)),
      complexity: nullable(oneOf(complexities)),
    }),
  ),
})
export type SurveyProposal = Of<typeof SurveyProposal>

/** How many proposals one survey may bring. */
export const mostProposals = 5

/** A look at a team's repository, for what is worth a story. It belongs to no story, and nothing of it is pushed. */
export const SurveyOrder = Type.Object({
  ...ordered,
  job: Type.Literal('survey'),
  /** Nothing is surveyed: the gates run on this commit of the main branch, which people have pushed to. */
  checks: Type.Optional(commit),
  /** What was proposed before, newest first, and what people made of it: none of it is wanted again. */
  known: Type.Array(
    Type.Object({
      kind: proposalKind,
      fingerprint: Type.String(),
      title: Type.String(),
      status: oneOf(['open', 'accepted', 'declined', 'lapsed']),
    }),
  ),
})
export type SurveyOrder = Of<typeof SurveyOrder>

export const AnyOrder = Type.Union([Order, SurveyOrder])
export type AnyOrder = Of<typeof AnyOrder>

export const Acquired = Type.Object({ order: AnyOrder, cursor: Type.String() })
export type Acquired = Of<typeof Acquired>

export const Beat = Type.Object({
  orders: Type.Array(
    Type.Object({
      ...orderRef,
      phase: text(40),
      lastEventAt: nullable(timestamp),
      reportNext: count,
      logNext: count,
      spentMicros: micros,
    }),
    { maxItems: 200 },
  ),
  free: count,
  diskFree: nullable(count),
  drains: Type.Boolean(),
})
export type Beat = Of<typeof Beat>

export const commands = ['drain', 'pause', 'resume', 'upgrade'] as const

export const Beaten = Type.Object({
  orders: Type.Array(
    Type.Object({
      ...orderRef,
      verdict,
      /** With `stop`: `cancel` lets the agent end its turn, `abort` does not wait for it. */
      how: Type.Optional(oneOf(['cancel', 'abort'])),
      reason: Type.Optional(Type.String()),
    }),
  ),
  commands: Type.Array(oneOf(commands)),
  pollSeconds: count,
  beatSeconds: count,
})
export type Beaten = Of<typeof Beaten>

/** What one call of a model cost, or what an agent says that it did. Amounts are differences, never totals. */
const Usage = Type.Object({
  type: Type.Literal('usage'),
  amount: Type.Number({ minimum: 0, maximum: 1_000_000 }),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  source: Type.Optional(oneOf(['gateway', 'agent'])),
  provider: Type.Optional(text(80)),
  model: Type.Optional(text(200)),
  /** Tokens: all input, what of it was read from and written to the cache, and output. */
  input: Type.Optional(count),
  cacheRead: Type.Optional(count),
  cacheWrite: Type.Optional(count),
  output: Type.Optional(count),
  /** Which table the price is from; null: the model is in none, and the dearest of its provider was taken. */
  priceTable: Type.Optional(nullable(text(80))),
})

/** How many repositories a run may have in addition to its first. */
const mostOthers = 19
/** One of the other repositories of an order, as it was named there. */
const name = text(200)

const mostGates = 200
/** One per gate, and the summary. */
export const mostStatements = mostGates + 1

export const option = Type.Object({
  id: Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }),
  label: Type.String({ minLength: 1, maxLength: 120 }),
})

export const RunnerEvent = Type.Union([
  Type.Object({ type: Type.Literal('progress'), message: text(2_000) }),
  /** The repository is there and the agent is about to start: where from, and what holds it. */
  Type.Object({
    type: Type.Literal('begun'),
    base: commit,
    isolation: Isolation,
    agent: RunnerExecutor,
    others: Type.Optional(Type.Array(Type.Object({ name, base: commit }), { maxItems: mostOthers })),
  }),
  /** The agent's own session, the moment it is known. */
  Type.Object({ type: Type.Literal('session_known'), agentSession: text(200) }),
  Usage,
  Type.Object({
    type: Type.Literal('plan_ready'),
    plan: text(100_000),
    paths: Type.Array(text(1_000), { maxItems: 2_000 }),
    risk: oneOf(['low', 'high']),
    lines: count,
  }),
  Type.Object({
    type: Type.Literal('scope_change_proposed'),
    plan: text(100_000),
    change: text(20_000),
  }),
  /** The acceptance spec was written, and seen failing on the base. */
  Type.Object({ type: Type.Literal('spec_pinned'), spec: PinnedSpec, summary: text(20_000) }),
  Type.Object({ type: Type.Literal('spec_failed'), error: text(20_000) }),
  Type.Object({
    type: Type.Literal('question_asked'),
    question: text(4_000),
    context: text(20_000),
    options: Type.Array(option, { minItems: 2, maxItems: 4 }),
    recommendation: text(40),
    /** What was made so far: the next order continues from it. */
    work: Type.Optional(nullable(Work)),
    others: Type.Optional(Type.Array(Type.Object({ name, work: Work }), { maxItems: mostOthers })),
  }),
  Type.Object({
    type: Type.Literal('change_ready'),
    /** The files of the pinned spec are not among its paths while they are as they were pinned. */
    change: Evidence.properties.changes,
    pullRequest: Type.Optional(Type.Null()),
    work: Type.Optional(Work),
    /** The unified diff, uploaded. */
    diff: Type.Optional(sha256),
    /** What is said of the change: it alters what is measured, hides text from reviewers, has look-alike names. */
    findings: Type.Optional(Type.Array(text(1_000), { maxItems: 200 })),
    /** The other repositories that were changed. What stands beside is the first's, without `work` if it was not. */
    others: Type.Optional(
      Type.Array(
        Type.Object({
          name,
          change: Evidence.properties.changes,
          work: Work,
          diff: Type.Optional(sha256),
          findings: Type.Optional(Type.Array(text(1_000), { maxItems: 200 })),
        }),
        { maxItems: mostOthers },
      ),
    ),
  }),
  Type.Object({
    type: Type.Literal('gates_ran'),
    gates: Type.Array(Gate, { maxItems: mostGates }),
    evidence: Type.Omit(Evidence, ['collectedAt', 'gates', 'repositories']),
    /** The signed pack, uploaded: a DSSE envelope around an in-toto statement. */
    envelope: Type.Optional(sha256),
    /** Signed as well, each an envelope that was uploaded: an in-toto test result per gate, and a summary. */
    statements: Type.Optional(Type.Array(sha256, { minItems: 1, maxItems: mostStatements })),
  }),
  Type.Object({
    type: Type.Literal('finished'),
    pullRequest: Type.Optional(Type.Null()),
    /** The branch that was pushed, and its commit. */
    branch: Type.Optional(Type.Object({ name: text(200), head: commit })),
  }),
  Type.Object({
    type: Type.Literal('main_checked'),
    state: oneOf(['green', 'red']),
    findings: text(20_000),
    gates: Type.Array(Gate, { maxItems: 200 }),
    /** Whether everything that is red was red on the commit before, so that the merge did not break it. */
    isOlder: Type.Optional(Type.Boolean()),
  }),
  /** What a survey came to. */
  Type.Object({
    type: Type.Literal('surveyed'),
    /** What was looked at. */
    commit,
    proposals: Type.Array(SurveyProposal, { maxItems: mostProposals }),
    /** What the agent changed although it was only to look: thrown away, and named. */
    touched: Type.Array(text(1_000), { maxItems: 100 }),
  }),
  Type.Object({
    type: Type.Literal('failed'),
    /** `budget`: what is left of the budget covers no other call of a model. */
    failureClass: oneOf(['transient', 'persistent', 'policy', 'dependency', 'budget']),
    error: text(20_000),
    /** The repository cannot be read, and will not be before someone has done something: the run waits for that. */
    waitsFor: Type.Optional(oneOf(['repository'])),
  }),
])
export type RunnerEvent = Of<typeof RunnerEvent>

export const Reports = Type.Object({
  reports: Type.Array(Type.Object({ number: Type.Integer({ minimum: 1 }), event: RunnerEvent }), {
    minItems: 1,
    maxItems: 200,
  }),
})
export type Reports = Of<typeof Reports>

export const Log = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  lines: Type.Array(Type.String(), { maxItems: 5_000 }),
})
export type Log = Of<typeof Log>

const spanId = Type.String({ pattern: spanIdPattern })
const milliseconds = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 })

const spanned = {
  id: spanId,
  /** Of another span of the order, or the one that the order's `traceparent` names. */
  parent: spanId,
  /** Since 1970. */
  from: milliseconds,
  to: milliseconds,
  failed: Type.Boolean(),
}

/** Something that took time while an order was worked on. What an agent or a model has said is no part of it. */
export const RunnerSpan = Type.Union([
  /** The order itself, as the runner saw it. */
  Type.Object({ ...spanned, type: Type.Literal('order') }),
  Type.Object({ ...spanned, type: Type.Literal('gate'), gate: text(200) }),
  Type.Object({
    ...spanned,
    type: Type.Literal('model_call'),
    provider: text(40),
    model: text(200),
    /** The one that has answered, by its own words. */
    answeredBy: nullable(text(200)),
    /** Null: its answer did not say. */
    tokens: nullable(Type.Object({ input: count, cacheRead: count, cacheWrite: count, output: count })),
    /** Of the provider's answer; null: there was none. */
    status: nullable(Type.Integer({ minimum: 100, maximum: 599 })),
  }),
])
export type RunnerSpan = Of<typeof RunnerSpan>

/** Told at most once, and never waited for. Only of an order with a `traceparent` that is sampled. */
export const mostSpans = 200
export const Spans = Type.Object({ spans: Type.Array(RunnerSpan, { minItems: 1, maxItems: mostSpans }) })
export type Spans = Of<typeof Spans>

/** `next` is the number that is wanted next: what the runner has from there on is sent again. */
export const Received = Type.Object({ verdict, next: count })
export type Received = Of<typeof Received>

export const CredentialAsk = Type.Object({
  for: Type.Literal('git'),
  access: oneOf(['read', 'write']),
  /** One of the other repositories of the order, by name; left out: the one that the order is about first. */
  repository: Type.Optional(text(200)),
})
export type CredentialAsk = Of<typeof CredentialAsk>

/** How git is let in. `header` goes into the one process that needs it, never into an address or an argument. */
export const Credential = Type.Object({
  /**
   * Where git goes: an address, a folder, or below `/runner/v1/` of the server, as `orders/run-7k2q/3/repository.git`:
   * then the server passes on what git asks, and the secret of the connection stays there.
   */
  address: Type.String(),
  header: nullable(Type.String()),
  expiresAt: nullable(timestamp),
})
export type Credential = Of<typeof Credential>

export const limits = {
  chunkBytes: 60_000,
  lineBytes: 8_192,
  reportBytes: 1_000_000,
  fileBytes: 32_000_000,
}
