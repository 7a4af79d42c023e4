import { type EntryDetails, upperFirst } from './entry-details.ts'
import { inWords, subject } from './wording.ts'

export function policyEvaluated(details: EntryDetails<'policy_evaluated'>): string {
  const { entity, result } = details.entry
  const isDenied = result === 'denied'
  const asked = entity.type === 'policy' ? `the policy of ${subject}` : `the policy about ${subject}`
  if (details.word('path'))
    return `Asked ${asked}: ${details.word('access')} ${details.word('path')}? ${isDenied ? 'Denied' : 'Allowed'}${details.word('rule', ' by ')}`
  const question =
    details.of('question', {
      plan: 'may the plan be carried out',
      paths: 'does the change keep to its paths',
      merge: 'may the change be merged',
      start: 'may the story be started',
      retry: 'may the run be tried again',
      access: 'is it allowed',
    }) ??
    (details.word('question') || 'is it allowed')
  const answer =
    details.of('answer', { yes: 'yes', ask: 'a person is asked' }) ??
    (details.word('answer') || (isDenied ? 'no' : 'yes'))
  return `Asked ${asked}: ${question}? ${upperFirst(answer)}${details.why || details.word('rule', ', ')}`
}

export function runChanged(details: EntryDetails<'run_state_changed'>): string {
  const attempt = details.count('attempt')
  const nth = attempt > 1 ? `, attempt ${attempt}` : ''
  if (details.is('cause', 'retried')) return `Retried ${subject}${nth}`
  if (details.is('cause', 'stopped')) return `Stopped ${subject}${details.why}`
  const stage = details.change('stage')
  if (stage && !details.change('status'))
    return `Took ${subject} from ${inWords(stage.before, 'stage')} to ${inWords(stage.after, 'stage')}${nth}`
  const status =
    details.of('status', {
      queued: `Queued ${subject}`,
      running: `Began to work on ${subject}`,
      waiting: `Let ${subject} wait for an answer`,
      succeeded: `Completed ${subject}`,
      failed: `Ended ${subject} as failed`,
      timed_out: `Ended ${subject} as timed out`,
      stopped: `Stopped ${subject}`,
    }) ?? `Changed ${subject}`
  return `${status}${details.word('failureClass', ' after a ', ' failure')}${nth}${details.why}`
}

export const storyChanged = (details: EntryDetails<'story_changed'>): string =>
  details.of('change', {
    moved: movedOrEdited(details),
    edited: movedOrEdited(details),
    drafted: `Drafted story ${subject} from ${details.word('requirement', 'requirement ') || 'a requirement'}`,
    approved: `Approved draft ${subject}`,
    rejected: `Rejected draft ${subject}${details.word('note', ': ')}`,
    write_ordered: `Ordered story ${subject} to be written to the tracker`,
    mirrored: `Mirrored story ${subject} from the tracker${details.word('trackerKey', ', ')}`,
    filed_for_incident: `Filed story ${subject} for ${details.word('incident', 'incident ') || 'an incident'}`,
    filed_from_proposal: `Filed story ${subject} from a proposal`,
  }) ?? movedOrEdited(details)

function movedOrEdited(details: EntryDetails<'story_changed'>): string {
  const column = details.change('column')
  return column && !details.why
    ? `Moved story ${subject} from ${inWords(column.before, 'column')} to ${inWords(column.after, 'column')}`
    : `Changed ${details.entry.entity.type} ${subject}${details.why || details.changed}`
}

export function trackerWritten(details: EntryDetails<'tracker_written'>): string {
  const issue = details.word('issue') || details.once('tracker') || 'the tracker'
  const what = details.word('wrote') || details.once('write')
  if (details.failed) return `Could not write to ${issue} for story ${subject}${details.why}`
  if (what === 'created') return `Created ${issue} for story ${subject}`
  if (what === 'status')
    return `Set ${issue} to ${details.word('after') || 'another status'} for story ${subject}${details.why}`
  return `Wrote ${what ? `a ${what} ` : ''}to ${issue} for story ${subject}${details.word('summary', ': ')}`
}
