import { counted } from '../browser/formats.ts'
import { type EntryDetails, kind } from './entry-details.ts'
import { inWords, subject } from './wording.ts'

type Source = EntryDetails<'signal_source_changed'>

export const sourceChanged = (details: Source): string =>
  details.of('change', {
    added: `Added alert source ${subject}${kind(details)}`,
    changed: `Changed alert source ${subject}${details.changed}`,
    deleted: `Deleted alert source ${subject}`,
    paused: `Paused alert source ${subject}`,
    resumed: `Resumed alert source ${subject}`,
    'secret rotated': `Rotated the secret for alert source ${subject}${details.word('formerSecretUntil', '; the old one works until ')}`,
    'former secret ended': `Ended the old secret for alert source ${subject}`,
    'topic confirmed': `Confirmed the topic for alert source ${subject}${details.word('topicArn', ': ')}`,
    refused: `The tool refused alert source ${subject}${details.why}`,
    mended: `The tool accepts alert source ${subject} again`,
    'topic not confirmed': `Couldn’t confirm the topic for alert source ${subject}${details.why}`,
  }) ?? `Changed alert source ${subject}${details.changed}`

export function signalReceived(details: EntryDetails<'signal_received'>): string {
  const { entry } = details
  // Once, the log reported each alert on its own.
  if (entry.entity.type === 'alert')
    return `Received alert ${subject}${details.once('source', ' from ')}${details.once('status', ', ')}${details.once('severity', ', severity ')}${details.why}`
  if (details.word('problem'))
    return `Couldn’t read a delivery from ${subject}${details.word('problem', ': ')}`
  if (details.word('handshake')) return `Received a ${details.word('handshake')} from ${subject}`
  const what = details.is('test', true) ? 'test alert' : 'alert'
  const [count, from] = [details.count('alerts'), `from ${subject}`]
  const first = Array.isArray(entry.details.told)
    ? (entry.details.told[0] as Record<string, unknown> | undefined)
    : undefined
  if (!first) return `Received ${counted(count, what)} ${from}`
  const title = `“${inWords(first.title)}”`
  if (count > 1) return `Received ${counted(count, what)} ${from}, starting with ${title}`
  const severity = first.severity ? `, severity ${inWords(first.severity)}` : ''
  return `Received ${what} ${title} ${from}, ${inWords(first.status)}${severity}`
}

type Incident = EntryDetails<'incident_updated'>

export const incidentUpdated = (details: Incident): string =>
  details.of('change', {
    alerts: alertsMoved(details),
    investigated: `Investigated incident ${subject}${details.word('finding', ', finding: ')}`,
    fix_started: `Started an urgent fix for incident ${subject}${details.word('story', ': ')}`,
    story_filed: `Filed story ${details.word('story')} for incident ${subject}`,
    revert_opened: `Opened a pull request to revert the suspected merge for incident ${subject}`,
    revert_not_opened: `Couldn’t revert the suspected merge for incident ${subject}${details.why}`,
    merge_kept: `Kept the suspected merge for incident ${subject}`,
    left: `Left incident ${subject} to the person on call`,
    acknowledged: `Acknowledged incident ${subject}`,
    taken: taken(details),
    severity_changed: `Changed incident ${subject}${details.changed}`,
    noted: `Added a note to incident ${subject}${details.word('note', ': ')}`,
    'e-mail refused': `Couldn’t email ${details.word('member') || 'a member'} about incident ${subject}${details.why}`,
  }) ??
  (details.word('finding')
    ? `Investigated incident ${subject}, finding: ${details.word('finding')}`
    : alertsMoved(details))

function taken(details: Incident): string {
  const before = details.change('assignee')?.before
  return before ? `Took over incident ${subject} from ${inWords(before)}` : `Took incident ${subject}`
}

function alertsMoved(details: Incident): string {
  const [joined, recovered] = [details.count('joined'), details.count('recovered')]
  const alerts = [
    joined > 0 && `${counted(joined, 'alert')} joined`,
    recovered > 0 && `${counted(recovered, 'alert')} recovered`,
  ].filter(Boolean)
  const what =
    alerts.length > 0 ? `: ${alerts.join(', ')}` : details.why || details.word('severity', ': severity ')
  return `Updated incident ${subject}${what}`
}
