import { counted } from '../browser/formats.ts'
import { failures } from '../words/failures.ts'
import { type EntryDetails, upperFirst } from './entry-details.ts'
import { inWords, subject } from './wording.ts'

export function policyEvaluated(details: EntryDetails<'policy_evaluated'>): string {
  const { entity, result } = details.entry
  const isDenied = result === 'denied'
  const asked = entity.type === 'policy' ? `the policy for ${subject}` : `the policy for ${subject}`
  if (details.word('path'))
    return `Checked ${asked}: ${details.word('access')} ${details.word('path')}? ${isDenied ? 'Denied' : 'Allowed'}${details.word('rule', ' by ')}`
  const question =
    details.of('question', {
      plan: 'can the plan go ahead',
      paths: 'are the changed paths allowed',
      merge: 'can the change be merged',
      start: 'can the story be started',
      retry: 'can the run be retried',
      access: 'is it allowed',
    }) ??
    (details.word('question') || 'is it allowed')
  const answer =
    details.of('answer', { yes: 'yes', ask: 'ask a person' }) ??
    (details.word('answer') || (isDenied ? 'no' : 'yes'))
  return `Checked ${asked}: ${question}? ${upperFirst(answer)}${details.why || details.word('rule', ', ')}`
}

export function runChanged(details: EntryDetails<'run_state_changed'>): string {
  const attempt = details.count('attempt')
  const nth = attempt > 1 ? `, attempt ${attempt}` : ''
  if (details.is('cause', 'retried')) return `Retried ${subject}${nth}`
  if (details.is('cause', 'stopped')) return `Stopped ${subject}${details.why}`
  if (details.is('cause', 'begun_locally')) return `Started work on ${subject} on their own machine`
  if (details.is('cause', 'given_back')) return `Gave ${subject} back${details.why}`
  const stage = details.change('stage')
  if (stage && !details.change('status'))
    return `Moved ${subject} from ${inWords(stage.before, 'stage')} to ${inWords(stage.after, 'stage')}${nth}`
  const status =
    details.of('status', {
      queued: `Queued ${subject}`,
      running: `Started work on ${subject}`,
      waiting: `Paused ${subject} for an answer`,
      succeeded: `Completed ${subject}`,
      failed: `${subject} failed`,
      timed_out: `${subject} timed out`,
      stopped: `Stopped ${subject}`,
    }) ?? `Changed ${subject}`
  const known = new Map(Object.entries(failures)).get(String(details.entry.details.failureClass))
  const checked = details.is('mainCheckedBy', 'maker') ? ', checked by the runner that made the change' : ''
  return `${status}${known ? ` (${known.word})` : ''}${nth}${checked}${details.why}`
}

export const storyChanged = (details: EntryDetails<'story_changed'>): string =>
  details.of('change', {
    moved: movedOrEdited(details),
    edited: movedOrEdited(details),
    drafted: `Drafted story ${subject} from ${details.word('requirement', 'requirement ') || 'a requirement'}`,
    approved: `Approved draft ${subject}`,
    rejected: `Rejected draft ${subject}${details.word('note', ': ')}`,
    write_ordered: `Requested story ${subject} in the tracker`,
    mirrored: details.changed
      ? `Updated story ${subject} from the tracker${details.changed}`
      : `Imported story ${subject} from the tracker${details.word('trackerKey', ', ')}`,
    created: `Created story ${subject}`,
    issue_left: `Issue ${details.word('trackerKey')} of story ${subject} was ${details.word('because') || 'closed'} in the tracker`,
    conflict_settled: details.is('keep', 'ours')
      ? `Kept the edit made here for story ${subject}`
      : `Kept the tracker’s version of story ${subject}`,
    filed_for_incident: `Filed story ${subject} for ${details.word('incident', 'incident ') || 'an incident'}`,
    filed_from_proposal: `Filed story ${subject} from a proposal`,
  }) ?? movedOrEdited(details)

function movedOrEdited(details: EntryDetails<'story_changed'>): string {
  const column = details.change('column')
  return column && !details.why
    ? `Moved story ${subject} from ${inWords(column.before, 'column')} to ${inWords(column.after, 'column')}`
    : `Changed ${details.entry.entity.type} ${subject}${details.why || details.changed}`
}

export function storyWritten(details: EntryDetails<'story_written'>): string {
  const issue = details.word('trackerKey') || details.once('tracker')
  return issue
    ? `Wrote story ${subject} to the tracker as ${issue}`
    : `Created story ${subject} from its draft`
}

export function trackerWritten(details: EntryDetails<'tracker_written'>): string {
  const issue = details.word('issue') || details.once('tracker') || 'the tracker'
  const what = details.word('wrote') || details.once('write')
  if (details.failed) return `Couldn’t update ${issue} for story ${subject}${details.why}`
  if (what === 'created') return `Created ${issue} for story ${subject}`
  if (what === 'edited') return `Updated ${issue} from story ${subject}`
  if (what === 'status')
    return `Set ${issue} to ${details.word('after') || 'another status'} for story ${subject}${details.why}`
  return `Added ${what ? `a ${what} ` : 'an update '}to ${issue} for story ${subject}${details.word('summary', ': ')}`
}

export function surveyChanged(details: EntryDetails<'survey_changed'>): string {
  const { entry } = details
  if (details.is('change', 'started'))
    return `Started ${subject}${details.is('cause', 'schedule') ? ' on schedule' : ''}${details.word('budgetCents', ' with a budget of ')}`
  if (details.is('change', 'offered_again'))
    return details.is('cause', 'lease_lost')
      ? `Offered ${subject} to another runner: the first one stopped responding`
      : `Offered ${subject} to another runner: the first one handed it back`
  const known = new Map(Object.entries(failures)).get(String(entry.details.failureClass))
  const outcome =
    details.of('status', {
      succeeded: `Completed ${subject}: ${counted(details.count('proposals'), 'proposal')}`,
      failed: `${subject} failed${known ? ` (${known.word})` : ''}`,
      stopped: `Stopped ${subject}`,
    }) ?? `Changed ${subject}`
  const touched = details.count('touched')
  return `${outcome}${touched > 0 ? `. Discarded changes to ${counted(touched, 'file')}` : ''}${details.why}`
}
