import { kind, type Told } from './told.ts'
import { counted, inWords, place } from './wording.ts'

type Source = Told<'signal_source_changed'>

export const sourceChanged = (told: Source): string =>
  told.of('change', {
    added: `Added alert source ${place}${kind(told)}`,
    changed: `Changed alert source ${place}${told.changed}`,
    deleted: `Deleted alert source ${place}`,
    paused: `Paused alert source ${place}`,
    resumed: `Resumed alert source ${place}`,
    'secret rotated': `Rotated the secret of alert source ${place}${told.word('formerSecretUntil', '; the former one works until ')}`,
    'topic confirmed': `Confirmed the topic of alert source ${place}${told.word('topicArn', ': ')}`,
    'topic not confirmed': `Could not confirm the topic of alert source ${place}${told.why}`,
  }) ?? `Changed alert source ${place}${told.changed}`

export function signalReceived(told: Told<'signal_received'>): string {
  const { entity, details } = told.entry
  // Once, the log told of each alert by itself.
  if (entity.type === 'alert')
    return `Received alert ${place}${told.once('source', ' from ')}${told.once('status', ', ')}${told.once('severity', ', severity ')}${told.why}`
  if (told.word('problem')) return `Could not read a delivery of ${place}${told.word('problem', ': ')}`
  if (told.word('handshake')) return `Received a ${told.word('handshake')} from ${place}`
  const what = told.is('test', true) ? 'test alert' : 'alert'
  const [count, from] = [told.count('alerts'), `from ${place}`]
  const first = Array.isArray(details.told)
    ? (details.told[0] as Record<string, unknown> | undefined)
    : undefined
  if (!first) return `Received ${counted(count, what)} ${from}`
  const title = `“${inWords(first.title)}”`
  if (count > 1) return `Received ${counted(count, what)} ${from}, first ${title}`
  const severity = first.severity ? `, severity ${inWords(first.severity)}` : ''
  return `Received ${what} ${title} ${from}, ${inWords(first.status)}${severity}`
}

type Incident = Told<'incident_updated'>

export const incidentUpdated = (told: Incident): string =>
  told.of('change', {
    alerts: alertsMoved(told),
    investigated: `Investigated incident ${place}${told.word('finding', ', finding: ')}`,
    fix_started: `Started an expedite fix for incident ${place}${told.word('story', ': ')}`,
    story_filed: `Filed story ${told.word('story')} for incident ${place}`,
    revert_opened: `Opened a pull request that takes back the suspected merge of incident ${place}`,
    merge_kept: `Left the suspected merge of incident ${place} as it is`,
    left: `Left incident ${place} to the person on call`,
    noted: `Noted on incident ${place}${told.word('note', ': ')}`,
    'e-mail refused': `Could not mail ${told.word('member') || 'a member'} about incident ${place}${told.why}`,
  }) ??
  (told.word('finding')
    ? `Investigated incident ${place}, finding: ${told.word('finding')}`
    : alertsMoved(told))

function alertsMoved(told: Incident): string {
  const [joined, recovered] = [told.count('joined'), told.count('recovered')]
  const alerts = [
    joined > 0 && `${counted(joined, 'alert')} joined`,
    recovered > 0 && `${counted(recovered, 'alert')} recovered`,
  ].filter(Boolean)
  const what = alerts.length > 0 ? `: ${alerts.join(', ')}` : told.why || told.word('severity', ': severity ')
  return `Updated incident ${place}${what}`
}
