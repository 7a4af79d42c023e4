import { mailNotification } from '../../domain/accounts/notifications/mail.ts'
import { pushNotification } from '../../domain/accounts/notifications/push.ts'
import { mergeChange, openPullRequest, openRevert, watchMain } from '../../domain/engine/merging/merge.ts'
import { performAtHost } from '../../domain/engine/merging/perform-at-host.ts'
import { postVerdict } from '../../domain/engine/merging/post-verdict.ts'
import { handOut } from '../../domain/engine/supervision/hand-out.ts'
import { investigateIncident } from '../../domain/on-call/incidents/investigate.ts'
import { mailMember } from '../../domain/on-call/incidents/mail-member.ts'
import { postIncident } from '../../domain/on-call/incidents/post-incident.ts'
import { revertMerge } from '../../domain/on-call/incidents/revert-merge.ts'
import { updateAlertInSource } from '../../domain/on-call/incidents/update-alert-in-source.ts'
import { withdrawQuestion } from '../../domain/on-call/incidents/withdraw-moot-question.ts'
import { confirmSubscription } from '../../domain/on-call/sources/confirm-subscription.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { handleReply } from '../../domain/reach/conversations/handle-reply.ts'
import { showReply } from '../../domain/reach/conversations/show-reply.ts'
import { showRequirement } from '../../domain/reach/conversations/show-requirement.ts'
import { commentIssue } from '../../domain/reach/mirror/comment-issue.ts'
import { writeIssue } from '../../domain/reach/mirror/write-issue.ts'
import { writeStory } from '../../domain/reach/mirror/write-story.ts'
import type { Performers } from '../../domain/record/outbox/perform.ts'
import { offerChatLink } from '../../domain/work/chat/offer-chat-link.ts'
import { postEphemeralMessage } from '../../domain/work/chat/post-ephemeral-message.ts'
import { showDecision } from '../../domain/work/chat/show-decision.ts'
import { mailReport } from '../../domain/work/night-report/mail.ts'
import { postReport } from '../../domain/work/night-report/post.ts'
import { submitAcceptedProposal } from '../../domain/work/requirements/submit-accepted-proposal.ts'
import type { Secrets } from '../../infra/secrets.ts'

export interface PerformerSettings {
  secrets: Pick<Secrets, 'decrypt'>
  /** Known once the server listens. */
  publicUrl: () => string
}

/** Who does which effect. */
export const performersFor = (ports: Ports, { secrets, publicUrl }: PerformerSettings): Performers => ({
  hand_out: handOut(ports.work),
  open_pull_request: performAtHost(openPullRequest(ports.gitHost)),
  merge: performAtHost(mergeChange(ports.gitHost)),
  check_main: watchMain(ports.gitHost),
  open_revert: performAtHost(openRevert(ports.gitHost)),
  post_verdict: performAtHost(postVerdict(ports.gitHost, { publicUrl })),
  revert_merge: performAtHost(revertMerge(ports.gitHost)),
  comment_issue: commentIssue({ trackers: ports.trackers, secrets, publicUrl }, ports.tracker),
  write_story: writeStory({ trackers: ports.trackers, secrets, publicUrl }, ports.tracker),
  write_issue: writeIssue({ trackers: ports.trackers, secrets, publicUrl }),
  submit_requirement: submitAcceptedProposal(ports.splitter, { publicUrl }),
  investigate_incident: investigateIncident(ports.history),
  post_incident: postIncident(ports.chat, { publicUrl }, { secrets }),
  show_decision: showDecision(ports.chat, ports.gitHost, { secrets, publicUrl }),
  hear_reply: handleReply({ splitter: ports.splitter, gitHost: ports.gitHost }),
  show_requirement: showRequirement(ports.chat, { secrets, publicUrl }),
  show_reply: showReply(ports.chat, { secrets }),
  post_ephemeral_message: postEphemeralMessage(ports.chat, { secrets }),
  offer_chat_link: offerChatLink(ports.chat, { secrets, publicUrl }),
  mail_member: mailMember(ports.mailer, { publicUrl }),
  mail_notification: mailNotification(ports.mailer, { publicUrl }),
  mail_report: mailReport(ports.mailer, { publicUrl }),
  post_report: postReport(ports.chat, { secrets, publicUrl }),
  push_notification: pushNotification(ports.push),
  update_alert: updateAlertInSource(ports.pagers, secrets),
  withdraw_question: withdrawQuestion,
  confirm_subscription: confirmSubscription(ports.web),
})
