import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import { counted } from '../browser/formats.ts'
import { incidentUpdated, signalReceived, sourceChanged } from './alert-sentences.ts'
import { EntryDetails, kind, spoken, upperFirst } from './entry-details.ts'
import { inWords, subject } from './wording.ts'
import {
  policyEvaluated,
  runChanged,
  storyChanged,
  storyWritten,
  surveyChanged,
  trackerWritten,
} from './work-sentences.ts'

/**
 * What has happened, to be read after the name of the actor. What an entry holds depends on the event, on its cause
 * and on the version that wrote it, so a sentence uses what is there.
 */
export const sentenceOf = (entry: AuditEntry): string => {
  const known = sentences[entry.event] as ((details: EntryDetails) => string) | undefined
  return known ? known(new EntryDetails(entry)) : `${spoken(entry.event)}: ${subject}`
}

const sentences: { [E in AuditEvent]: (details: EntryDetails<E>) => string } = {
  decision_raised: (details) =>
    `Raised decision ${subject}${kind(details)}${details.word('recommendation', ', recommending ')}`,
  decision_resolved: (details) =>
    `Answered decision ${subject}${kind(details)}${details.word('optionId', ' with “', '”')}`,
  decision_expired: (details) => `Decision ${subject}${kind(details)} expired: no one answered in time`,
  decision_cancelled: (details) => {
    const cause = details.of('cause', {
      run_stopped: ': its run was stopped',
      story_left: ': its story was moved',
      team_deleted: ': the team was deleted',
      reviewed: ': a reviewer asked for changes',
      merged_elsewhere: ': its pull request was merged at the git host',
      closed_elsewhere: ': its pull request was closed at the git host',
      conflicted: ': its pull request can’t be merged anymore',
      main_green: ': the main branch is green again',
      merge_kept: ': the merge was kept',
      incident_resolved: ': the incident was resolved',
    })
    return `Cancelled decision ${subject}${kind(details)}${cause ?? details.why}`
  },
  decision_superseded: (details) => `Decision ${subject}${kind(details)} was replaced by a newer one`,
  decision_snoozed: (details) =>
    details.word('until')
      ? `Snoozed decision ${subject}${kind(details)}${details.word('until', ' until ')}`
      : `Put decision ${subject}${kind(details)} back in their inbox`,

  policy_changed: (details) =>
    `Changed the policy for ${subject}${details.word('version', ' to version ')}${details.word('suggestion') && ', as suggested'}${details.changed}`,
  policy_suggestion_declined: (details) =>
    `Declined a suggestion to change the policy for ${subject}${details.why}`,
  policy_evaluated: policyEvaluated,

  team_created: (details) => `Created team ${subject}${details.word('preset', ' with preset ')}`,
  team_changed: (details) => `Changed team ${subject}${details.changed}`,
  team_paused: (details) => `Paused team ${subject}${details.why}`,
  team_resumed: (details) => `Resumed team ${subject}${details.why}`,
  team_deleted: () => `Deleted team ${subject}`,
  pull_request_merged: (details) => {
    if (details.word('heldBy')) {
      const which = `pull request${details.word('number', ' #')} of ${subject}`
      return details.failed
        ? `Merged ${which}, but not as verified${details.why}`
        : `Merged ${which} as verified`
    }
    const which = `pull request${details.word('number', ' #')} into${details.word('branch', ' ')} for team ${subject}`
    return details.failed ? `Couldn’t merge ${which}${details.why}` : `Merged ${which}`
  },

  run_started: (details) =>
    `Started ${subject}${details.word('story', ' for story ')}${details.word('budgetCents', ' with a budget of ')}`,
  run_state_changed: runChanged,

  requirement_submitted: (details) => {
    const [drafts, questions] = [details.count('drafts'), details.count('questions')]
    const next =
      drafts > 0
        ? `: ${counted(drafts, 'draft')}`
        : questions > 0
          ? `: ${counted(questions, 'question')} back`
          : ''
    return `Submitted requirement ${subject}${next}`
  },
  requirement_answered: (details) =>
    `Answered ${counted(details.changes.length, 'question')} about requirement ${subject}`,
  requirement_replied: () => `Replied to requirement ${subject}`,

  story_changed: storyChanged,
  story_written: storyWritten,
  view_changed: (details) =>
    details.of('change', {
      saved: `Saved board view ${subject}`,
      replaced: `Changed board view ${subject}${details.changed}`,
      removed: `Deleted board view ${subject}`,
    }) ?? `Changed board view ${subject}`,
  tracker_written: trackerWritten,

  local_work_reported: (details) =>
    details.of('report', {
      progress: `Reported progress on ${subject}${details.word('message', ': ')}`,
      evidence: `Reported evidence for ${subject}, not verified yet`,
      hand_off: `Handed off ${subject}${details.word('branch', ' on branch ')}${details.word('pullRequest', ', ')}`,
    }) ?? `Reported on ${subject}`,

  runner_changed: (details) =>
    details.of('change', {
      connected: `Connected runner ${subject}${details.word('version', ', version ')}`,
      left: `Runner ${subject} signed off`,
      paused: `Paused runner ${subject}`,
      resumed: `Resumed runner ${subject}`,
      draining: `Drained runner ${subject}: it finishes its current work, then stops`,
      removed: `Removed runner ${subject}`,
      approved: `Approved runner ${subject}`,
      rejected: `Rejected runner ${subject}`,
      forgotten: `Forgot runner ${subject}: another machine can connect under its ID`,
      refused: `Tried to connect another machine as runner ${subject}; its key doesn’t match`,
      pinned:
        details.count('teams') === 0
          ? `Let runner ${subject} work for all teams`
          : `Let runner ${subject} work for these teams only${details.word('teams', ': ')}`,
    }) ?? `Changed runner ${subject}`,
  survey_changed: surveyChanged,
  connection_changed: connectionChanged,
  service_changed: (details) =>
    details.is('change', 'created')
      ? `Created service ${subject}`
      : details.is('change', 'deleted')
        ? `Deleted service ${subject}`
        : `Changed service ${subject}${details.changed}`,
  signal_source_changed: sourceChanged,
  signal_received: signalReceived,

  incident_opened: (details) =>
    `Opened incident ${subject}${details.word('service', ' for ')}${details.word('severity', ', severity ')}`,
  incident_updated: incidentUpdated,
  incident_resolved: (details) =>
    `Resolved incident ${subject}${details.word('service', ' for ')}${details.why}`,
  alert_updated_in_source: (details) => {
    const verb = details.word('what') || details.once('update').replace(/d$/, '')
    const where = details.word('tool', ' in ') || details.word('source', ' in ')
    return details.failed
      ? `Couldn’t ${verb || 'update'} alert ${subject}${where}${details.why}`
      : `${upperFirst(verb || 'update')}d alert ${subject}${where}`
  },

  webhook_endpoint_changed: (details) =>
    details.of('change', {
      added: `Added webhook endpoint ${subject}${details.word('host', ' at ')}`,
      changed: `Changed webhook endpoint ${subject}${details.changed}`,
      paused: `Paused webhook endpoint ${subject}`,
      resumed: `Resumed webhook endpoint ${subject}`,
      removed: `Removed webhook endpoint ${subject}`,
      'secret rotated': `Rotated the secret for webhook endpoint ${subject}${details.word('formerSecretUntil', '; the old one is used until ')}`,
      'former secret ended': `Ended the old secret for webhook endpoint ${subject}`,
      tested: `Sent a test event to webhook endpoint ${subject}${details.word('status', ': status ')}${details.why}`,
      resent: `Resent ${details.word('message') || 'a message'} to webhook endpoint ${subject}`,
      replayed: `Replayed ${counted(details.count('count'), 'message')} to webhook endpoint ${subject}${details.word('since', ', since ')}`,
      'turned off': `Turned off webhook endpoint ${subject}${details.is('cause', 'gone') ? ': it responded with 410 Gone' : ' after 5 days of failures'}`,
    }) ?? `Changed webhook endpoint ${subject}`,

  audit_exported: (details) => {
    const format = details.word('format').toUpperCase()
    return `Exported ${counted(details.count('count'), 'entry', 'entries')}${format && ` as ${format}`}${details.why}`
  },
  audit_verified: (details) => {
    const findings = details.count('findings')
    const outcome = findings === 0 ? 'no problems found' : counted(findings, 'problem')
    return `Verified the log, ${counted(details.count('entries'), 'entry', 'entries')}: ${outcome}`
  },

  token_created: (details) => {
    const owner = details.is('owner', details.entry.actor.name) ? '' : details.word('owner', ' for ')
    return `Created token ${subject}${details.word('prefix', ' (', '…)')}${owner}${details.word('permissions', ' with permissions: ')}`
  },
  token_revoked: (details) => `Revoked token ${subject}${details.word('prefix', ' (', '…)')}${details.why}`,

  member_joined: (details) =>
    `${details.isSelf ? 'Joined' : `${subject} joined`} the workspace${details.word('role', ' as ')}`,
  member_removed: (details) =>
    details.is('cause', 'left') || details.isSelf
      ? 'Left the workspace'
      : `Removed ${subject}${details.word('role', ' (', ')')} from the workspace`,
  member_role_changed: (details) => {
    const role = details.change('role')
    return `Changed the role of ${subject}${role ? ` from ${inWords(role.before)} to ${inWords(role.after)}` : ''}`
  },
  member_renamed: (details) => `Changed their name to ${details.word('name') || subject}`,
  member_invited: (details) => `Invited ${subject}${details.word('role', ' as ')}`,
  invitation_revoked: () => `Revoked the invitation for ${subject}`,
  person_erased: (details) =>
    `Erased a person on request (${counted(details.count('values'), 'value')} of this log)`,

  signed_in: (details) => `Signed in${details.word('method', ' with ')}`,
  sign_in_failed: (details) => `Failed to sign in as ${subject}${details.word('method', ' with ')}`,
  signed_out: () => 'Signed out',
  identity_confirmed: (details) => `Confirmed their identity${details.word('method', ' with ')}`,
  session_revoked: (details) =>
    details.is('which', 'all_others') || details.is('session', 'all others')
      ? 'Ended all other sessions'
      : 'Ended a session',
  sign_in_method_changed: methodChanged,
  notifications_changed: notificationsChanged,
  chat_linked: (details) => `Linked the Slack account${details.word('name', ' ')} to ${subject}`,

  workspace_created: () => `Created workspace ${subject}`,
  workspace_changed: (details) => `Changed workspace ${subject}${details.changed}`,
  workspace_deleted: () => `Deleted workspace ${subject}`,
  workspace_restored: (details) =>
    `Restored workspace ${subject} from a backup${details.word('takenAt', ' taken at ')}`,
  secret_key_rotated: (details) =>
    details.is('change', 'started')
      ? 'Started to rotate the secret key of the installation'
      : 'Finished rotating the secret key of the installation',
  retention_applied: (details) =>
    `Removed ${details.word('removed', '', ' ')}${details.word('kind', '', ' ').replaceAll('_', ' ')}older than the retention period`,
  provisioning_changed: provisioningChanged,
  backup_created: (details) => {
    const what = details.is('part', 'secrets') ? 'the secret key' : 'the installation'
    return details.failed
      ? `Couldn’t back up ${what}${details.why}`
      : `Backed up ${what}${details.word('place', ' to ')}`
  },
  audit_month_archived: (details) => `Archived the entries${details.word('month', ' of ')} in a file`,
}
export const events = (Object.keys(sentences) as AuditEvent[]).toSorted()

function notificationsChanged(details: EntryDetails<'notifications_changed'>): string {
  if (details.is('change', 'push_turned_on')) return 'Turned on push notifications in a browser'
  if (details.is('change', 'push_turned_off')) return 'Turned off push notifications in a browser'
  if (details.is('change', 'report')) return `Changed their night shift report${details.changed}`
  return `Changed their notifications${details.word('kind', ' about ', 's')}${details.changed}`
}

function provisioningChanged(details: EntryDetails<'provisioning_changed'>): string {
  return (
    details.of('change', {
      token_created: `Created SCIM token ${subject}${details.word('prefix', ' (', '…)')}`,
      token_revoked: `Revoked SCIM token ${subject}${details.word('prefix', ' (', '…)')}`,
      user_created: `Provisioned ${subject}`,
      user_changed: `Updated ${subject} from the identity provider`,
      user_deleted: `Deprovisioned ${subject}`,
      group_created: `Added group ${subject}`,
      group_changed: `Changed group ${subject}`,
      group_deleted: `Deleted group ${subject}`,
      group_mapped: `Changed the role of group ${subject}${details.changed}`,
    }) ?? `Changed the provisioning of ${subject}`
  )
}

function connectionChanged(details: EntryDetails<'connection_changed'>): string {
  return (
    details.of('change', {
      connected: `Connected ${subject}${details.word('account', ' as ')}`,
      changed: `Changed connection ${subject}${details.changed}`,
      credentials_replaced: `Replaced the credentials of connection ${subject}`,
      webhook_secret_replaced: `Replaced the webhook secret of connection ${subject}`,
      webhook_made: `Created a webhook for connection ${subject}`,
      webhook_mended: `Repaired a webhook of connection ${subject}${details.word('note', ': ')}`,
      app_requested: `Began to create the GitHub App ${subject}`,
      app_created: `Created the GitHub App ${subject}`,
      app_removed: `Removed the GitHub App ${subject} before it was installed`,
      tested: details.failed
        ? `Tested connection ${subject}: it failed${details.why}`
        : `Tested connection ${subject}`,
      refused: `The tool refused connection ${subject}${details.why}`,
      mended: `Connection ${subject} works again`,
      disconnected: `Disconnected ${subject}`,
    }) ?? `Changed connection ${subject}`
  )
}

function methodChanged(details: EntryDetails<'sign_in_method_changed'>): string {
  const whose = details.isSelf ? 'their' : `${subject}’s`
  const method = details.word('method') || 'sign-in method'
  if (details.is('action', 'reset')) return `Reset their ${method} with a link`
  if (details.is('action', 'link handed out')) return `Created a link to reset ${whose} ${method}`
  const did = details.word('action') || 'changed'
  return did === 'added' ? `Added a ${method} to ${whose} account` : `${upperFirst(did)} ${whose} ${method}`
}
