import { createHash } from 'node:crypto'
import type { Gate } from '@signalbox/contract/run.ts'
import type { SecondReview } from '@signalbox/contract/second-review.ts'
import type { MergeRequest } from '../../server/domain/ports/git-host.ts'
import type { WorkEvent, WorkOrder } from '../../server/domain/ports/work.ts'
import type { ScriptedMerge } from '../../server/integrations/git-hosts/scripted.ts'
import type { Beat } from '../../server/integrations/work/scripted.ts'
import { scriptedDiff } from '../shorthand/diff.ts'
import { gate } from '../shorthand/gates.ts'
import { pullsOf } from '../shorthand/run.ts'
import { steps } from '../shorthand/text.ts'
import * as printed from './printed.ts'

/**
 * What happens when the demo's stories are worked on. No agent runs: each stage plays an outcome written here, and
 * every run that does shows `scripted` as its executor, or `command` for the second agent of a race. A story without a
 * word about it goes well.
 */

type Stage = WorkOrder['stage']
type Scene = (order: WorkOrder) => Beat[]

export const scriptOf = (order: WorkOrder): Beat[] => {
  const beats = (scenes[order.story.key]?.[order.stage] ?? usual[order.stage])(order)
  return isSecond(order) ? announced(beats) : beats
}

/** Its name is that of a program, so its log says first that there is none. */
const announced = ([first, ...rest]: Beat[]): Beat[] => [
  { ...first!, log: [printed.secondAgent, ...(first!.log ?? [])] },
  ...rest,
]

/** The other agent of a race. It writes less, and takes more money for it. */
const isSecond = ({ executor }: WorkOrder) => executor === 'command'

export const mergeOf = ({ story }: MergeRequest): ScriptedMerge => merges[story] ?? {}

const beat = (seconds: number, event: WorkEvent): Beat => ({ seconds, event })
const spend = (seconds: number, cents: number): Beat =>
  beat(seconds, { type: 'usage', amount: cents / 100, currency: 'EUR' })
const note = (seconds: number, message: string): Beat => beat(seconds, { type: 'progress', message })
/** A beat while which something is printed. */
const printing = (log: string[], played: Beat): Beat => ({ ...played, log })

const lines = { xs: 18, s: 74, m: 210, l: 480, xl: 860 }
const linesOf = (order: WorkOrder) => Math.round(lines[order.story.size ?? 's'] * (isSecond(order) ? 0.7 : 1))
const folderOf = ({ story }: WorkOrder) =>
  `src/${
    story.title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, ' ')
      .trim()
      .split(' ')
      .slice(0, 2)
      .join('-') || 'work'
  }`
const pathsOf = (order: WorkOrder) => [`${folderOf(order)}/index.ts`, `${folderOf(order)}/index.test.ts`]
const digestOf = (order: WorkOrder) =>
  createHash('sha1').update(`${order.run}/${order.attempt}`).digest('hex')

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

const pullRequestOf = (order: WorkOrder) => {
  const number = 500 + 2 * (Number.parseInt(digestOf({ ...order, attempt: 0 }).slice(0, 4), 16) % 200)
  return pullsOf(order.team)(isSecond(order) ? number + 1 : number)
}

function planOf(order: WorkOrder): string {
  const folder = folderOf(order)
  const said = order.guidance.at(-1)
  return steps(
    ...(said ? [`Follow the guidance: ${said}`] : []),
    `Write the acceptance spec for ${order.story.acceptanceCriteria.length} criteria and see it fail.`,
    `Change \`${folder}/index.ts\`; keep its interface.`,
    `Cover it in \`${folder}/index.test.ts\`, then run every gate.`,
  )
}

const changesOf = (order: WorkOrder, paths = pathsOf(order)) => ({
  files: paths.length,
  additions: Math.ceil(linesOf(order) * 0.8),
  deletions: Math.floor(linesOf(order) * 0.2),
  paths,
})

const passing = (order: WorkOrder): Gate[] => [
  gate('denied paths', 'passed', `${pathsOf(order).length} changed files, none denied`),
  gate('type check', 'passed', 'no errors'),
  gate('unit tests', 'passed', 'all passed (scripted)'),
  gate(
    'acceptance',
    'passed',
    `${order.story.acceptanceCriteria.length} of ${order.story.acceptanceCriteria.length} criteria`,
  ),
  // No one reads a scripted change, so its evidence repeats the guidance.
  ...order.guidance.slice(-1).map((said) => gate('guidance', 'passed', `followed: ${said.slice(0, 200)}`)),
]

const evidenceOf = (order: WorkOrder, failed: string[] = []) => ({
  commit: digestOf(order),
  criteria: order.story.acceptanceCriteria.map((one) => ({
    id: one.id,
    result: failed.includes(one.id) ? ('failed' as const) : ('passed' as const),
    proof: printed.proof(one, !failed.includes(one.id)),
  })),
  changes: changesOf(order),
  // A scripted agent runs nothing, and a story's own text is no evidence.
  demonstration: null,
  ...(order.policy.secondReview?.by === 'scripted' && failed.length === 0 ? { secondReview } : {}),
})

const secondReview: SecondReview = {
  ...{ result: 'reviewed', agent: 'scripted', model: null },
  says: 'Scripted: no coding agent read this change.',
  findings: [
    { severity: 'low', file: null, line: null, says: 'scripted: an example of what a reviewer may say' },
  ],
}

const usual: Record<Stage, Scene> = {
  planning: (order) => [
    printing(printed.checkout(order, digestOf(order)), spend(3, 9)),
    printing(printed.reading(folderOf(order)), note(3, 'reading the code around the change')),
    spend(3, 14),
    printing(
      printed.planning(planOf(order)),
      beat(2, {
        type: 'plan_ready',
        plan: planOf(order),
        paths: pathsOf(order),
        risk: 'low',
        lines: linesOf(order),
      }),
    ),
  ],
  implementing: (order) => [
    ...(order.restoreSpec ? [note(1, 'restoring the acceptance spec')] : []),
    printing(printed.checkout(order, digestOf(order)), spend(4, 21)),
    printing(printed.failingSpec(order), note(3, 'the acceptance spec fails, as it should')),
    printing(printed.editing(folderOf(order), changesOf(order)), spend(4, isSecond(order) ? 47 : 33)),
    printing(
      printed.pushing(order, digestOf(order), pullRequestOf(order)),
      beat(3, {
        type: 'change_ready',
        change: changesOf(order),
        diff: hashOf(scriptedDiff(changesOf(order))),
        pullRequest: pullRequestOf(order),
      }),
    ),
  ],
  verifying: (order) => [
    printing(printed.checkout(order, digestOf(order)), note(3, 'running the gates in a clean checkout')),
    printing(printed.testing(order, 0), spend(3, 6)),
    printing(
      printed.gating(passing(order)),
      beat(3, { type: 'gates_ran', gates: passing(order), evidence: evidenceOf(order) }),
    ),
  ],
  handing_off: (order) => [
    spend(2, 3),
    printing(
      printed.pushing(order, digestOf(order), pullRequestOf(order)),
      beat(2, { type: 'finished', pullRequest: pullRequestOf(order) }),
    ),
  ],
}

/** Answered questions are in the guidance: what was asked once is not asked again. */
const asked = (order: WorkOrder) => order.guidance.some((said) => said.startsWith('Answer to'))

const overloaded = 'The model endpoint answered 529, overloaded.'

/** Where a story does not simply go well. */
const scenes: Partial<Record<string, Partial<Record<Stage, Scene>>>> = {
  'WEB-17': {
    implementing: (order) =>
      asked(order)
        ? usual.implementing(order)
        : [
            printing(
              [...printed.checkout(order, digestOf(order)), ...printed.reading(folderOf(order))],
              spend(4, 18),
            ),
            beat(3, {
              type: 'question_asked',
              question: 'Which of the two dates does a reminder count from?',
              context:
                'The story says "after the delivery". An order has the day the parcel reached the locker and the promised day, and they differ for 4 in 100 orders.',
              options: [
                { id: 'delivered', label: 'From the day it reached the locker' },
                { id: 'promised', label: 'From the promised day' },
              ],
              recommendation: 'delivered',
            }),
          ],
  },
  'ROUTE-7': {
    planning: (order) =>
      order.attempt % 2 === 1
        ? [
            printing(printed.checkout(order, digestOf(order)), spend(3, 5)),
            printing(
              printed.failing(overloaded),
              beat(2, { type: 'failed', failureClass: 'transient', error: overloaded }),
            ),
          ]
        : usual.planning(order),
  },
  'DATA-10': {
    verifying: (order) => [
      beat(2, {
        type: 'proposal_made',
        proposal: {
          kind: 'maintenance_proposal',
          fingerprint: 'search-index-unused-analyzers',
          title: 'Remove three unused analyzers from the search index',
          body: 'While working on the index: `legacy_de`, `legacy_nl` and `ngram_full` are configured and take up 11% of its size, but no field uses them.',
          story: {
            title: 'Remove the unused analyzers from the search index',
            description:
              'Three analyzers are configured that no field uses. They take up a tenth of the index and slow down every rebuild.',
            acceptanceCriteria: [
              'The index settings contain no analyzer that no field uses',
              'A search for a street name returns the same ten results as before',
            ],
            demonstrate:
              'Rebuild the index in the test environment and search for "Kaistraat": the results are as before.',
            size: 's',
            complexity: 'low',
            classOfService: 'intangible',
          },
        },
      }),
      ...usual.verifying(order),
    ],
  },
  // Merges of this team are asked for: sent back, the story is verified again, and finds the same again.
  'WEB-35': {
    verifying: (order) => [
      beat(2, {
        type: 'proposal_made',
        proposal: {
          kind: 'maintenance_proposal',
          fingerprint: 'vendored-map-library',
          title: 'Delete the second copy of the map library',
          body: 'While working on the locker map: `vendor/map-2.4.js` (151 kB) is in the repository next to the package of the same version. No page loads it, and the licence check reports it every night.',
          story: {
            title: 'Delete the vendored copy of the map library',
            description:
              'The map library is in the repository twice: as a package and as a file under `vendor`. No page loads the file, and the nightly licence check reports it. Delete it.',
            acceptanceCriteria: [
              'The folder `vendor` contains no copy of the map library',
              'The nightly licence check reports no finding for checkout',
            ],
            demonstrate: 'Run `npm run licences`: the report for checkout is empty; the map opens as before.',
            size: 'xs',
            complexity: 'low',
            classOfService: 'intangible',
          },
        },
      }),
      ...usual.verifying(order),
    ],
  },
  'ROUTE-16': {
    verifying: (order) => {
      if (order.guidance.length > 0) return usual.verifying(order)
      const gates = [
        ...passing(order).slice(0, 2),
        gate('unit tests', 'failed', '2 failed in src/route/windows (scripted)'),
      ]
      const failed = order.story.acceptanceCriteria.slice(0, 1).map(({ id }) => id)
      return [
        printing(printed.checkout(order, digestOf(order)), note(3, 'running the gates in a clean checkout')),
        printing(
          [...printed.testing(order, 2, failed), ...printed.gating(gates)],
          beat(3, { type: 'gates_ran', gates, evidence: evidenceOf(order, failed) }),
        ),
      ]
    },
  },
}

const merges: Partial<Record<string, ScriptedMerge>> = {
  // In the second workspace: a red main branch holds the merges of its team, which would keep others waiting here.
  'FERRY-2': {
    mainRed: 'boarding/display_test.py::test_next_sailing: expected 16:40, received 14:10 (scripted)',
  },
}
