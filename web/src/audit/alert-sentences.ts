import { kind, type Told } from './told.ts'
import { counted, inWords, place } from './wording.ts'

const sourceChanges: Record<string, (told: Told) => string> = {
  added: (told) => `Added alert source ${place}${kind(told)}`,
  deleted: () => `Deleted alert source ${place}`,
  paused: () => `Paused alert source ${place}`,
  resumed: () => `Resumed alert source ${place}`,
  'secret rotated': (told) =>
    `Rotated the secret of alert source ${place}${told.word('formerSecretUntil', '; the former one works until ')}`,
  'topic confirmed': (told) => `Confirmed the topic of alert source ${place}${told.word('topicArn', ': ')}`,
  'topic not confirmed': (told) => `Could not confirm the topic of alert source ${place}${told.why}`,
}

export const sourceChanged = (told: Told): string =>
  sourceChanges[String(told.entry.details.change)]?.(told) ?? `Changed alert source ${place}${told.changed}`

export function signalReceived(told: Told): string {
  const { entity, details } = told.entry
  if (entity.type === 'alert')
    return `Received alert ${place}${told.word('source', ' from ')}${told.word('status', ', ')}${told.word('severity', ', severity ')}${told.why}`
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

export function incidentUpdated(told: Told): string {
  const [joined, recovered] = [told.count('joined'), told.count('recovered')]
  const about = `Updated incident ${place}`
  if (told.is('change', 'noted')) return `Noted on incident ${place}${told.word('note', ': ')}`
  if (told.is('change', 'e-mail refused'))
    return `Could not mail ${told.word('member') || 'a member'} about incident ${place}${told.why}`
  if (told.word('finding')) return `Investigated incident ${place}, finding: ${told.word('finding')}`
  const alerts = [
    joined > 0 && `${counted(joined, 'alert')} joined`,
    recovered > 0 && `${counted(recovered, 'alert')} recovered`,
  ].filter(Boolean)
  if (alerts.length > 0) return `${about}: ${alerts.join(', ')}`
  return `${about}${told.why || told.word('severity', ': severity ')}`
}
