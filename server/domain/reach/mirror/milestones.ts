import { isOpen } from '../../work/runs/phase.ts'
import type { Work } from './store.ts'

/** What the issue is told about the newest run: one comment, which changes as the work goes on. */
export function milestonesOf(work: Work, story: string, publicUrl: string): string {
  const { workspace, run, phase, pullRequest, hasEvidence, decision } = work
  const link = (text: string, path: string) => `[${text}](${publicUrl}/${workspace}/${path})`
  const lines = [
    `**Signalbox**: ${stateOf(phase, decision !== null)} on ${link(story, `stories/${story}`)} in ${link(run, `runs/${run}`)}.`,
    ...(decision && isOpen(phase) ? [`- A person is asked: ${link(decision, `decisions/${decision}`)}`] : []),
    ...(pullRequest ? [`- Pull request: [#${pullRequest.number}](${pullRequest.url})`] : []),
    ...(hasEvidence ? [`- Evidence: ${link('gates, criteria and demonstration', `runs/${run}`)}`] : []),
  ]
  return lines.join('\n')
}

function stateOf(phase: Work['phase'], isAsked: boolean): string {
  if (phase === 'succeeded') return 'finished work'
  if (phase === 'failed' || phase === 'timed_out') return 'failed to finish work'
  if (phase === 'stopped') return 'stopped work'
  return isAsked ? 'is waiting for an answer' : 'is working'
}
