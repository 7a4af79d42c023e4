import { type Told, upperFirst } from './told.ts'
import { inWords, place } from './wording.ts'

export function policyEvaluated(told: Told): string {
  const { entity, result } = told.entry
  const asked = entity.type === 'policy' ? `the policy of ${place}` : `the policy about ${place}`
  if (told.word('path'))
    return `Asked ${asked}: ${told.word('access')} ${told.word('path')}? ${result === 'denied' ? 'Denied' : 'Allowed'}${told.word('rule', ' by ')}`
  const answer = told.word('answer') || (result === 'denied' ? 'no' : 'yes')
  return `Asked ${asked}: ${told.word('question') || 'is it allowed'}? ${upperFirst(answer)}${told.why || told.word('rule', ', ')}`
}

export function runChanged(told: Told): string {
  const attempt = told.count('attempt')
  const nth = attempt > 1 ? `, attempt ${attempt}` : ''
  if (told.is('cause', 'retried') || told.is('reason', 'retried')) return `Retried ${place}${nth}`
  if (told.is('cause', 'stopped')) return `Stopped ${place}${told.why}`
  const stage = told.change('stage')
  if (stage && !told.change('status'))
    return `Took ${place} from ${inWords(stage.before, 'stage')} to ${inWords(stage.after, 'stage')}${nth}`
  const status = statusVerbs[String(told.entry.details.status)] ?? `Changed ${place}`
  return `${status}${told.word('failureClass', ' after a ', ' failure')}${nth}${told.why}`
}

const statusVerbs: Record<string, string> = {
  queued: `Queued ${place}`,
  running: `Began to work on ${place}`,
  waiting: `Let ${place} wait for an answer`,
  succeeded: `Completed ${place}`,
  failed: `Ended ${place} as failed`,
  timed_out: `Ended ${place} as timed out`,
  stopped: `Stopped ${place}`,
}

/** What happened to a story, by the reason that the entry gives. */
const storyReasons: Record<string, (told: Told) => string> = {
  approved: () => `Approved draft ${place}`,
  rejected: (told) => `Rejected draft ${place}${told.word('note', ': ')}`,
  'drafted from a requirement': (told) =>
    `Drafted story ${place} from ${told.word('requirement', 'requirement ') || 'a requirement'}`,
  'to be written to the tracker': () => `Ordered story ${place} to be written to the tracker`,
  'mirrored from the tracker': (told) =>
    `Mirrored story ${place} from the tracker${told.word('trackerKey', ', ')}`,
  'filed for an incident': (told) =>
    `Filed story ${place} for ${told.word('incident', 'incident ') || 'an incident'}`,
  'filed from a proposal': () => `Filed story ${place} from a proposal`,
}

export function storyChanged(told: Told): string {
  const known = storyReasons[String(told.entry.details.reason)]
  if (known) return known(told)
  const column = told.change('column')
  return column
    ? `Moved story ${place} from ${inWords(column.before, 'column')} to ${inWords(column.after, 'column')}${told.why}`
    : `Changed ${told.entry.entity.type} ${place}${told.changed}`
}

export function trackerWritten(told: Told): string {
  const issue = told.word('issue') || told.word('tracker') || 'the tracker'
  const what = told.word('wrote') || told.word('write')
  if (told.failed) return `Could not write to ${issue} for story ${place}${told.why}`
  if (what === 'created') return `Created ${issue} for story ${place}`
  if (what === 'status')
    return `Set ${issue} to ${told.word('after') || 'another status'} for story ${place}${told.why}`
  return `Wrote ${what ? `a ${what} ` : ''}to ${issue} for story ${place}${told.word('summary', ': ')}`
}
