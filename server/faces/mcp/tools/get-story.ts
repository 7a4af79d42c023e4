import { StoryPage } from '@signalbox/contract/app/stories.ts'
import { decisionKinds } from '@signalbox/contract/decision.ts'
import { acceptanceSpec } from '@signalbox/contract/denied-paths.ts'
import { storyKey } from '@signalbox/contract/keys.ts'
import { nullable, oneOf } from '@signalbox/contract/shapes.ts'
import { mergePolicies, Policy, planApprovals, presets } from '@signalbox/contract/team.ts'
import { Type } from 'typebox'
import { readObstacles } from '../../../domain/engine/orders/read-obstacles.ts'
import { readPolicy } from '../../../domain/work/policies/read.ts'
import { readStoryPage } from '../../../domain/work/stories/read-page.ts'
import { appUrl } from '../calls/app-url.ts'
import { type Call, gives, nextStep, reads, takes, tool, url } from '../calls/tool.ts'

const { decisions: _, mirror: __, runs, ...story } = StoryPage.properties

const PolicySummary = Type.Object(
  {
    preset: nullable(oneOf(presets)),
    version: nullable(Type.Integer()),
    planApproval: nullable(oneOf(planApprovals)),
    mergePolicy: nullable(oneOf(mergePolicies)),
    budgets: nullable(Policy.properties.budgets),
    deniedPaths: Type.Array(Type.String()),
    acceptanceRequired: Type.Boolean(),
    autoMergeMaxLines: nullable(Type.Integer()),
  },
  { description: 'what the team may do without asking; nulls for a team without a policy' },
)

export const getStory = tool({
  name: 'get_story',
  title: 'Read a story',
  description:
    'Everything needed to work on one story: description, acceptance criteria with their ids and status, the Demonstrate block (how the result is to be shown), the test plan, and a policy summary: which paths must not be changed (deniedPaths; the folder .kanman/acceptance/** always), whether the plan needs approval, how merging is decided, and budgets in euro cents. Also its runs, its open decisions, what is missing for a readiness of 100, and updatedAt, which update_story needs.',
  toolset: 'default',
  hints: reads,
  input: takes({ story: storyKey }),
  output: gives({
    ...story,
    runs,
    policySummary: PolicySummary,
    openDecisions: Type.Array(
      Type.Object({ key: Type.String(), kind: oneOf(decisionKinds), title: Type.String() }),
    ),
    url,
    nextStep,
  }),
  outside: [
    'title',
    'description',
    'acceptanceCriteria',
    'demonstrate',
    'testPlan',
    'returnedNote',
    'openDecisions.title',
  ],
  call: (call, input) => storyFor(call, input.story),
})

/** A story as an agent reads it, here and as a resource. */
export async function storyFor(call: Call, key: string) {
  const { ctx, services } = call
  const { decisions, ...page } = await readStoryPage(
    ctx,
    key,
    await readObstacles(ctx, services.work, { story: key }),
  )
  const policy = await readPolicy(ctx, page.team)
  const open = decisions.filter(({ status }) => status === 'pending')
  return {
    ...page,
    policySummary: {
      preset: policy?.preset ?? null,
      version: policy?.version ?? null,
      planApproval: policy?.planApproval ?? null,
      mergePolicy: policy?.mergePolicy ?? null,
      budgets: policy?.budgets ?? null,
      deniedPaths: policy?.deniedPaths ?? [acceptanceSpec],
      acceptanceRequired: policy?.acceptanceRequired ?? true,
      autoMergeMaxLines: policy?.autoMergeMaxLines ?? null,
    },
    openDecisions: open.map(({ key, kind, title }) => ({ key, kind, title })),
    url: await appUrl(call, 'stories', key),
    nextStep: nextStepOf(page, open),
  }
}

function nextStepOf(
  { draft, missing, runs, column }: Pick<StoryPage, 'draft' | 'missing' | 'runs' | 'column'>,
  open: { key: string }[],
): string {
  if (open.length > 0)
    return `It needs an answer from a person. Call get_decision with ${open[0]!.key} to see the question.`
  if (draft && missing.length > 0)
    return 'It is a draft. Call update_story with what is missing, then approve_draft.'
  if (draft) return 'It is a draft that can be approved: call approve_draft.'
  const run = runs.find((one) => one.open)
  if (run) return `Run ${run.key} is working on it. Call get_run to see how far it is.`
  if (column.role === 'ready')
    return 'Call begin_work to take it, then work within the policy summary. If something is unclear, call request_human_input; do not guess.'
  return 'Work within the policy summary. If something is unclear, call request_human_input; do not guess.'
}
