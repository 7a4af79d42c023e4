import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import { incidentUpdated, signalReceived, sourceChanged } from './alert-sentences.ts'
import { kind, spoken, Told, upperFirst } from './told.ts'
import { counted, inWords, place } from './wording.ts'
import { policyEvaluated, runChanged, storyChanged, trackerWritten } from './work-sentences.ts'

/**
 * What has happened, to be read after the name of the actor. What an entry holds depends on the event, on its cause
 * and on the version that wrote it, so a sentence uses what is there.
 */
export const sentenceOf = (entry: AuditEntry): string => {
  const known = sentences[entry.event] as ((told: Told) => string) | undefined
  return known ? known(new Told(entry)) : `${spoken(entry.event)}: ${place}`
}

const sentences: { [E in AuditEvent]: (told: Told<E>) => string } = {
  decision_raised: (told) =>
    `Raised decision ${place}${kind(told)}${told.word('recommendation', ', recommending ')}`,
  decision_resolved: (told) =>
    `Answered decision ${place}${kind(told)}${told.word('optionId', ' with “', '”')}`,
  decision_expired: (told) => `Let decision ${place}${kind(told)} expire: nobody answered in time`,
  decision_cancelled: (told) => {
    const cause = told.of('cause', {
      run_stopped: ': its run was stopped',
      story_left: ': its story left the work in hand',
      team_deleted: ': the team was deleted',
      main_green: ': main is green again',
      incident_resolved: ': the incident is resolved',
    })
    return `Cancelled decision ${place}${kind(told)}${cause ?? told.why}`
  },
  decision_superseded: (told) =>
    `Replaced decision ${place}${kind(told)}: a newer one of the same kind took its place`,

  policy_changed: (told) =>
    `Changed the policy of ${place}${told.word('version', ' to version ')}${told.changed}`,
  policy_evaluated: policyEvaluated,

  team_created: (told) => `Created team ${place}${told.word('preset', ' with the preset ')}`,
  team_changed: (told) => `Changed team ${place}${told.changed}`,
  team_paused: (told) => `Paused team ${place}${told.why}`,
  team_resumed: (told) => `Resumed team ${place}${told.why}`,
  team_deleted: () => `Deleted team ${place}`,

  run_started: (told) =>
    `Started ${place}${told.word('story', ' for story ')}${told.word('budgetCents', ' with a budget of ')}`,
  run_state_changed: runChanged,

  requirement_submitted: (told) => {
    const [drafts, questions] = [told.count('drafts'), told.count('questions')]
    const next =
      drafts > 0
        ? `: ${counted(drafts, 'draft')}`
        : questions > 0
          ? `: ${counted(questions, 'question')} back`
          : ''
    return `Submitted requirement ${place}${next}`
  },
  requirement_answered: (told) =>
    `Answered ${counted(told.changes.length, 'question')} about requirement ${place}`,

  story_changed: storyChanged,
  story_written: (told) =>
    `Wrote story ${place} to the tracker${told.word('trackerKey', ' as ') || told.once('tracker', ' as ')}`,
  tracker_written: trackerWritten,

  service_changed: (told) =>
    told.is('change', 'created')
      ? `Created service ${place}`
      : told.is('change', 'deleted')
        ? `Deleted service ${place}`
        : `Changed service ${place}${told.changed}`,
  signal_source_changed: sourceChanged,
  signal_received: signalReceived,

  incident_opened: (told) =>
    `Opened incident ${place}${told.word('service', ' of ')}${told.word('severity', ', severity ')}`,
  incident_updated: incidentUpdated,
  incident_resolved: (told) => `Resolved incident ${place}${told.word('service', ' of ')}${told.why}`,
  alert_updated_in_source: (told) => {
    const wanted = told.word('what') || told.once('update').replace(/d$/, '')
    const where = told.word('tool', ' in ') || told.word('source', ' in ')
    return told.failed
      ? `Could not ${wanted || 'update'} alert ${place}${where}${told.why}`
      : `${upperFirst(wanted || 'update')}d alert ${place}${where}`
  },

  audit_exported: (told) => {
    const format = told.word('format').toUpperCase()
    return `Exported ${counted(told.count('count'), 'entry', 'entries')} of the log${format && ` as ${format}`}${told.why}`
  },
  audit_verified: (told) => {
    const findings = told.count('findings')
    const outcome = findings === 0 ? 'unbroken' : counted(findings, 'finding')
    return `Checked the log, ${counted(told.count('entries'), 'entry', 'entries')}: ${outcome}`
  },

  token_created: (told) => {
    const owner = told.is('owner', told.entry.actor.name) ? '' : told.word('owner', ' for ')
    return `Created token ${place}${told.word('prefix', ' (', '…)')}${owner}${told.word('permissions', ', which may ')}`
  },
  token_revoked: (told) => `Revoked token ${place}${told.word('prefix', ' (', '…)')}${told.why}`,

  member_joined: (told) =>
    `${told.isSelf ? 'Joined' : `${place} joined`} the workspace${told.word('role', ' as ')}`,
  member_removed: (told) =>
    told.is('cause', 'left') || told.isSelf
      ? 'Left the workspace'
      : `Removed ${place}${told.word('role', ' (', ')')} from the workspace`,
  member_role_changed: (told) => {
    const role = told.change('role')
    return `Changed the role of ${place}${role ? ` from ${inWords(role.before)} to ${inWords(role.after)}` : ''}`
  },
  member_renamed: (told) => `Is called ${told.word('name') || place} from now on`,
  member_invited: (told) => `Invited ${place}${told.word('role', ' as ')}`,
  invitation_revoked: () => `Revoked the invitation of ${place}`,

  signed_in: (told) => `Signed in${told.word('method', ' with ')}`,
  sign_in_failed: (told) => `Refused a sign-in as ${place}${told.word('method', ' with ')}`,
  signed_out: () => 'Signed out',
  session_revoked: (told) =>
    told.is('which', 'all_others') || told.is('session', 'all others')
      ? 'Ended all their other sessions'
      : 'Ended one of their sessions',
  sign_in_method_changed: methodChanged,

  workspace_created: () => `Created workspace ${place}`,
  workspace_changed: (told) => `Changed workspace ${place}${told.changed}`,
  workspace_deleted: () => `Deleted workspace ${place}`,
}
export const events = (Object.keys(sentences) as AuditEvent[]).toSorted()

function methodChanged(told: Told<'sign_in_method_changed'>): string {
  const whose = told.isSelf ? 'their' : `${place}’s`
  const method = told.word('method') || 'sign-in method'
  if (told.is('action', 'reset')) return `Chose a new ${method} by a reset link`
  if (told.is('action', 'link handed out')) return `Handed out a link to choose ${whose} ${method} anew`
  const did = told.word('action') || 'changed'
  return did === 'added'
    ? `Added a ${method} to ${whose} ways to sign in`
    : `${upperFirst(did)} ${whose} ${method}`
}
