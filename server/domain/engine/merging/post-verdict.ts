import { executorNames } from '@signalbox/contract/executor-names.ts'
import type { Run } from '@signalbox/contract/run.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { readWorkspaceSlug } from '../../accounts/workspaces/read-slug.ts'
import { plainLine } from '../../plain-text.ts'
import type { GitHost } from '../../ports/git-host.ts'
import type { Performed, Performer } from '../../record/outbox/perform.ts'
import { repositoryOf } from '../../work/repositories/of-team.ts'
import { readRun } from '../../work/runs/read.ts'

/** Says at the git host what was found about the commit that a pull request asks to be merged. */
export const postVerdict =
  (gitHost: GitHost | null, { publicUrl }: { publicUrl: () => string }): Performer<'post_verdict'> =>
  async (ctx, effect) => {
    const { run: key, team, story, head, pullRequest, repository } = effect.data
    const nothing: Performed = { settle: async () => [] }
    if (!gitHost) return nothing
    const { workspaceId } = ctx
    const { evidence } = fromJson(await readRun(ctx, key))
    // Of an attempt that has been overtaken nothing is said under the name of the one that overtook it.
    const known = [evidence?.commit, ...(evidence?.repositories ?? []).map(({ commit }) => commit)]
    if (!evidence || (/^[0-9a-f]{40,64}$/.test(evidence.commit) && !known.includes(head))) return nothing
    const failed = evidence.gates.filter(({ result }) => result === 'failed')
    await gitHost.postVerdict({
      key: effect.key,
      workspaceId,
      team,
      run: key,
      story,
      repository: await repositoryOf(ctx.db, workspaceId, team, repository),
      pullRequest,
      head,
      passed: failed.length === 0 && evidence.criteria.every(({ result }) => result !== 'failed'),
      title:
        failed.length > 0
          ? `${failed.length} of ${evidence.gates.length} gates failed`
          : `${evidence.gates.length === 1 ? '1 gate' : `${evidence.gates.length} gates`} passed`,
      summary: summaryOf(evidence, key, story),
      url: `${publicUrl()}/${await readWorkspaceSlug(ctx.db, workspaceId)}/runs/${key}?tab=evidence`,
    })
    return nothing
  }

type Evidence = NonNullable<Run['evidence']>

/** Text of agents and gates goes into table cells: nothing in it may end the table or the line. */
const cell = (text: string) => plainLine(text, 500).replaceAll('|', '\\|').replaceAll('<', '&lt;')

function summaryOf(
  { gates, criteria, changes, demonstration, commit, secondReview }: Evidence,
  run: string,
  story: string,
) {
  const criteriaRows = criteria.map(({ id, result, proof }) => `| ${cell(id)} | ${result} | ${cell(proof)} |`)
  const gateRows = gates.map(
    ({ name, result, summary }) => `| ${cell(name)} | ${result} | ${cell(summary)} |`,
  )
  return [
    `${story}, ${run}: ${changes.files === 1 ? '1 file' : `${changes.files} files`} changed, +${changes.additions} −${changes.deletions}, verified at ${commit.slice(0, 12)}.`,
    ...(criteria.length > 0 ? ['', '| Criterion | Result | Proof |', '|---|---|---|', ...criteriaRows] : []),
    ...(gates.length > 0 ? ['', '| Gate | Result | Summary |', '|---|---|---|', ...gateRows] : []),
    ...(demonstration ? ['', `Demonstrated: ${cell(demonstration)}`] : []),
    ...(secondReview ? reviewOf(secondReview) : []),
  ].join('\n')
}

/** What another coding agent says of the change; never part of whether it passed. */
function reviewOf({ result, agent, says, findings }: NonNullable<Evidence['secondReview']>): string[] {
  const rows = findings.map(
    ({ severity, file, line, says: what }) =>
      `| ${severity} | ${file === null ? '' : cell(`${file}${line === null ? '' : `:${line}`}`)} | ${cell(what)} |`,
  )
  const by = agent ? ` by ${executorNames[agent]}` : ''
  const said = says ?? (result === 'reviewed' && rows.length === 0 ? 'No findings.' : null)
  return [
    ...['', `Second review${by}${said ? `: ${cell(said)}` : ':'}`],
    ...(rows.length > 0 ? ['', '| Severity | Where | Finding |', '|---|---|---|', ...rows] : []),
  ]
}
