import { createHash } from 'node:crypto'
import type { Facts } from '../../../server/domain/work/decisions/facts.ts'
import { questionOf } from '../../../server/domain/work/decisions/kinds.ts'
import { played } from '../../played.ts'
import type { DemoDecision, DemoRun, DemoStory, DemoTeam } from '../../script.ts'
import { allCriteria, noneDenied, specUnchanged } from '../../shorthand/gates.ts'
import { attempt, changed, proofs, pullsOf, succeeded, verified } from '../../shorthand/run.ts'
import { steps } from '../../shorthand/text.ts'
import { github } from '../../shorthand/trackers.ts'
import { type Article, merged, waiting } from './articles.ts'

const [issue, pull] = [github('help-pages'), pullsOf('help-pages')]
/** Above the team's limit, so people are asked about each of these changes. */
const autoMergeMaxLines = 40
const answerers = ['kenji.morita', 'amara.okafor', 'leila.haddad'].map((name) => `${name}@example.com`)

const linksWork = 'Every link on the page leads to a page that exists.'

/** Six stories a day, until a little more than a week ago. */
const startedMinutesAgo = (at: number) => 12_980 - at * 225
const all = [
  ...merged.map((article, at) => ({ article, minutesAgo: startedMinutesAgo(at), isMerged: true })),
  { article: waiting, minutesAgo: 760, isMerged: false },
].map((work, at) => ({ ...work, number: at + 1 }))
type Work = (typeof all)[number]

const idOf = ({ number }: Work) => `help-${number}`
const linesOf = ({ additions, deletions }: Article) => additions + deletions

const storyOf = (work: Work): DemoStory => ({
  number: work.number,
  title: work.article.title,
  description: work.article.why,
  acceptanceCriteria: [work.article.shows, linksWork],
  demonstrate: steps('Build the pages and open the search.', work.article.shows),
  columnRole: work.isMerged ? 'done' : 'review',
  estimate: { size: 's', complexity: 'low' },
  tracker: issue(100 + work.number),
  minutesAgo: { created: work.minutesAgo + 120, updated: work.minutesAgo - 90 },
})

function runOf(work: Work): DemoRun {
  const { article, minutesAgo, number, isMerged } = work
  const gates = verified(minutesAgo - 40, noneDenied(article.paths.length), specUnchanged(1), allCriteria(2))
  const course = { costCents: 40 + linesOf(article), startedMinutesAgo: minutesAgo - 2 }
  return {
    id: idOf(work),
    storyKey: `HELP-${number}`,
    createdMinutesAgo: minutesAgo,
    attempts: [
      isMerged
        ? succeeded({ ...course, completedMinutesAgo: minutesAgo - 90 }, gates)
        : attempt('waiting', 'handing_off', course, gates),
    ],
    evidence: {
      commit: createHash('sha1').update(article.title).digest('hex'),
      criteria: proofs('search.spec.ts: finds the page', 'links.spec.ts: no dead link'),
      changes: changed({ additions: article.additions, deletions: article.deletions }, article.paths),
      demonstration: article.shows,
    },
    pullRequest: pull(200 + number),
  }
}

function decisionOf(work: Work): DemoDecision {
  const { article, minutesAgo, number, isMerged } = work
  const facts: Facts['merge_approval'] = {
    ...{ lines: linesOf(article), files: article.paths.length, limit: autoMergeMaxLines },
    ...{ pullRequest: pull(200 + number), findings: [], because: ['lines'], gatesPassed: 3 },
  }
  const { title, body } = questionOf('merge_approval', { title: article.title, facts })
  const by = answerers[number % answerers.length]!
  return {
    ...{ kind: 'merge_approval', title, body, facts },
    run: idOf(work),
    createdMinutesAgo: minutesAgo - 42,
    ...(isMerged && {
      answered: { by, via: number % 4 === 0 ? 'slack' : 'app', minutesAgo: minutesAgo - 85 },
    }),
  }
}

/** Small changes, each asked about and approved as it was: enough of them to suggest a larger limit. */
export const help: DemoTeam = {
  slug: 'help-pages',
  name: 'Help Pages',
  description: 'The public help pages and their search.',
  keyPrefix: 'HELP',
  createdBy: 'tomasz.wrobel@example.com',
  createdMinutesAgo: 13_425,
  policies: played('ines.carvalho@example.com', [
    {
      preset: 'balanced',
      departures: { executor: 'claude_code', autoMergeMaxLines },
      reason: 'Typos may merge on their own. Someone reads every new page.',
      by: 'tomasz.wrobel@example.com',
      minutesAgo: 13_420,
    },
  ]),
  stories: all.map(storyOf),
  runs: all.map(runOf),
  decisions: all.map(decisionOf),
  moments: [],
}
