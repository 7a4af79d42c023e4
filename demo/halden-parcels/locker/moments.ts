import { leila, service, tomasz } from '../../actors.ts'
import type { DemoMoment } from '../../script.ts'
import {
  issueCommented,
  issueMoved,
  serviceCreated,
  signalReceived,
  sourceAdded,
  storyWritten,
  writeDenied,
} from '../../shorthand/moments.ts'

const lockerPaging = {
  kind: 'pagerduty',
  id: 'pagerduty-lockers',
  name: 'Locker team paging',
} as const
const heartbeatLoss = { title: 'Locker station heartbeat loss above 3%', severity: 'critical' } as const
const heartbeatAlert = { type: 'alert', id: 'locker-heartbeat-loss', name: heartbeatLoss.title } as const
const heartbeatIncident = { type: 'incident', id: 'inc-m4kx', name: heartbeatLoss.title } as const

const team = { type: 'team', id: 'locker-firmware', name: 'Locker Firmware' } as const

export const moments: DemoMoment[] = [
  serviceCreated(13_170, tomasz, 'locker-gateway'),
  sourceAdded(13_166, tomasz, lockerPaging, ['locker-gateway']),
  {
    minutesAgo: 13_160,
    actor: tomasz,
    event: 'service_changed',
    entity: { type: 'service', id: 'locker-gateway', name: 'locker-gateway' },
    details: { change: 'changed', changes: [{ field: 'acknowledgeInSource', before: false, after: true }] },
  },
  writeDenied(12_745, 'lock-unsigned', 'implementing', 'boot/keys/bench.pub', 'boot/keys/**'),
  issueCommented(
    12_496,
    ['LOCK-2', 'FW-118'],
    'lock-unsigned',
    'Evidence: 4 gates passed, pull request #188 merged',
  ),
  {
    minutesAgo: 11_204,
    actor: service,
    event: 'tracker_written',
    result: 'failure',
    run: 'lock-manifest',
    story: 'LOCK-4',
    details: { issue: 'FW-121', wrote: 'status', reason: 'The tracker answered 503; retrying' },
  },
  {
    minutesAgo: 11_189,
    actor: service,
    event: 'tracker_written',
    run: 'lock-manifest',
    story: 'LOCK-4',
    details: { issue: 'FW-121', wrote: 'status', before: 'In Review', after: 'Done', tries: 4 },
  },
  signalReceived(9_072, lockerPaging, 'dfdab5fc-c3fd-5654-a9b1-588765bdc0f1', 'firing', heartbeatLoss),
  {
    minutesAgo: 9_071,
    actor: service,
    event: 'incident_opened',
    entity: heartbeatIncident,
    details: { service: 'locker-gateway', severity: 'critical', alerts: 1 },
  },
  {
    minutesAgo: 9_069,
    actor: service,
    event: 'alert_updated_in_source',
    entity: heartbeatAlert,
    details: {
      what: 'acknowledge',
      tool: 'PagerDuty',
      source: 'Locker team paging',
      senderId: 'Q3LHB5T7KX',
      incident: 'inc-m4kx',
    },
  },
  {
    minutesAgo: 9_060,
    actor: tomasz,
    event: 'team_paused',
    entity: team,
    channel: 'slack',
    details: { reason: 'Incident inc-m4kx: no new firmware work until the cause is known.' },
  },
  {
    minutesAgo: 9_041,
    actor: service,
    event: 'incident_updated',
    run: 'lock-heartbeat',
    entity: heartbeatIncident,
    details: { change: 'investigated', finding: 'suspect_merge', confidence: 0.9, pullRequest: 203 },
  },
  {
    minutesAgo: 8_984,
    actor: service,
    event: 'incident_updated',
    run: 'lock-heartbeat',
    entity: heartbeatIncident,
    details: {
      change: 'revert_opened',
      pullRequest: { number: 207, url: 'https://git.example.com/halden/locker-firmware/pull/207' },
      commit: '5f0c2a9be71d',
    },
  },
  {
    minutesAgo: 8_958,
    actor: service,
    event: 'tracker_written',
    run: 'lock-heartbeat',
    story: 'LOCK-9',
    details: {
      issue: 'FW-137',
      wrote: 'status',
      before: 'Done',
      after: 'Backlog',
      reason: 'Reverted by #207',
    },
  },
  signalReceived(8_895, lockerPaging, 'cf64f453-410f-59de-8898-8641f441fa08', 'resolved', heartbeatLoss),
  {
    minutesAgo: 8_890,
    actor: service,
    event: 'incident_resolved',
    entity: heartbeatIncident,
    details: { service: 'locker-gateway', severity: 'critical' },
  },
  {
    minutesAgo: 8_889,
    actor: service,
    event: 'alert_updated_in_source',
    entity: heartbeatAlert,
    details: {
      what: 'resolve',
      tool: 'PagerDuty',
      source: 'Locker team paging',
      senderId: 'Q3LHB5T7KX',
      incident: 'inc-m4kx',
    },
  },
  {
    minutesAgo: 8_880,
    actor: tomasz,
    event: 'team_resumed',
    entity: team,
    details: { reason: 'Heartbeats are back to normal.' },
  },
  issueMoved(7_474, ['LOCK-8', 'FW-134'], 'lock-rollback', ['In Review', 'Done']),
  writeDenied(4_663, 'lock-secure-element', 'planning', 'boot/keys/provision.c', 'boot/keys/**'),
  issueCommented(4_388, ['LOCK-15', 'FW-163'], 'lock-secure-element', 'Returned to Backlog with the note'),
  storyWritten(2_395, ['LOCK-17', 'FW-171'], leila),
]
