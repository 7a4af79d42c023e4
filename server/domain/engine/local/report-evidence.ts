import type { EvidenceReported, ReportEvidence } from '@signalbox/contract/local-work.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { sanitizeJson } from '../machine/sanitize-json.ts'
import { lockOwnRun } from './holder.ts'
import { noteReport } from './note-report.ts'
import { selectReported } from './store.ts'

/**
 * What a person says their work shows. It is kept beside the run as reported and proves nothing: no criterion counts as
 * passed by it. What is said of a criterion again replaces what was said before.
 */
export async function reportEvidence(
  ctx: Context,
  runKey: string,
  input: ReportEvidence,
): Promise<EvidenceReported> {
  const said = sanitizeJson(input)
  return change<EvidenceReported>(ctx, async (tx) => {
    const run = await lockOwnRun(ctx, tx, runKey)
    const { attempt } = run.state
    const { evidence: before, criteria } = (await selectReported(tx, ctx.workspaceId, {
      id: run.id,
      attempt,
    }))!
    const known = new Set(criteria.map(({ id }) => id))
    const strange = (said.criteria ?? []).find(({ id }) => !known.has(id))
    if (strange) {
      throw new DomainError(
        'invalid_request',
        `${run.story.key} has no criterion \`${strange.id}\`. Its criteria are ${[...known].join(', ') || 'none'}.`,
      )
    }
    const results = new Map(
      [...(before?.criteria ?? []), ...(said.criteria ?? [])].map((one) => [one.id, one]),
    )
    const evidence = { ...before, ...said, criteria: [...results.values()] }
    const { value, audit } = await noteReport(
      ctx,
      tx,
      run,
      { evidence },
      {
        report: 'evidence',
        criteria: (said.criteria ?? []).map(({ id, result }) => ({ id, result })),
        commands: (said.commands ?? []).map(({ command, exitCode }) => ({ command, exitCode })),
      },
    )
    const openCriteria = criteria
      .filter(({ id }) => results.get(id)?.result !== 'passed')
      .map(({ id, text }) => ({ id, text }))
    return { value: { ...value, openCriteria }, audit }
  })
}
