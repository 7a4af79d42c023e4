import { type Told, upperFirst } from './told.ts'
import { inWords, place } from './wording.ts'

export function policyEvaluated(told: Told<'policy_evaluated'>): string {
  const { entity, result } = told.entry
  const isDenied = result === 'denied'
  const asked = entity.type === 'policy' ? `the policy of ${place}` : `the policy about ${place}`
  if (told.word('path'))
    return `Asked ${asked}: ${told.word('access')} ${told.word('path')}? ${isDenied ? 'Denied' : 'Allowed'}${told.word('rule', ' by ')}`
  const question =
    told.of('question', {
      plan: 'may the plan be carried out',
      paths: 'does the change keep to its paths',
      merge: 'may the change be merged',
      start: 'may the story be started',
      retry: 'may the run be tried again',
      access: 'is it allowed',
    }) ??
    (told.word('question') || 'is it allowed')
  const answer =
    told.of('answer', { yes: 'yes', ask: 'a person is asked' }) ??
    (told.word('answer') || (isDenied ? 'no' : 'yes'))
  return `Asked ${asked}: ${question}? ${upperFirst(answer)}${told.why || told.word('rule', ', ')}`
}

export function runChanged(told: Told<'run_state_changed'>): string {
  const attempt = told.count('attempt')
  const nth = attempt > 1 ? `, attempt ${attempt}` : ''
  if (told.is('cause', 'retried')) return `Retried ${place}${nth}`
  if (told.is('cause', 'stopped')) return `Stopped ${place}${told.why}`
  const stage = told.change('stage')
  if (stage && !told.change('status'))
    return `Took ${place} from ${inWords(stage.before, 'stage')} to ${inWords(stage.after, 'stage')}${nth}`
  const status =
    told.of('status', {
      queued: `Queued ${place}`,
      running: `Began to work on ${place}`,
      waiting: `Let ${place} wait for an answer`,
      succeeded: `Completed ${place}`,
      failed: `Ended ${place} as failed`,
      timed_out: `Ended ${place} as timed out`,
      stopped: `Stopped ${place}`,
    }) ?? `Changed ${place}`
  return `${status}${told.word('failureClass', ' after a ', ' failure')}${nth}${told.why}`
}

export const storyChanged = (told: Told<'story_changed'>): string =>
  told.of('change', {
    moved: movedOrEdited(told),
    edited: movedOrEdited(told),
    drafted: `Drafted story ${place} from ${told.word('requirement', 'requirement ') || 'a requirement'}`,
    approved: `Approved draft ${place}`,
    rejected: `Rejected draft ${place}${told.word('note', ': ')}`,
    write_ordered: `Ordered story ${place} to be written to the tracker`,
    mirrored: `Mirrored story ${place} from the tracker${told.word('trackerKey', ', ')}`,
    filed_for_incident: `Filed story ${place} for ${told.word('incident', 'incident ') || 'an incident'}`,
    filed_from_proposal: `Filed story ${place} from a proposal`,
  }) ?? movedOrEdited(told)

function movedOrEdited(told: Told<'story_changed'>): string {
  const column = told.change('column')
  return column && !told.why
    ? `Moved story ${place} from ${inWords(column.before, 'column')} to ${inWords(column.after, 'column')}`
    : `Changed ${told.entry.entity.type} ${place}${told.why || told.changed}`
}

export function trackerWritten(told: Told<'tracker_written'>): string {
  const issue = told.word('issue') || told.once('tracker') || 'the tracker'
  const what = told.word('wrote') || told.once('write')
  if (told.failed) return `Could not write to ${issue} for story ${place}${told.why}`
  if (what === 'created') return `Created ${issue} for story ${place}`
  if (what === 'status')
    return `Set ${issue} to ${told.word('after') || 'another status'} for story ${place}${told.why}`
  return `Wrote ${what ? `a ${what} ` : ''}to ${issue} for story ${place}${told.word('summary', ': ')}`
}
