import { offerChatLink } from '../../domain/chat/offer-chat-link.ts'
import { showDecision } from '../../domain/chat/show-decision.ts'
import { whisper } from '../../domain/chat/whisper.ts'
import { hearReply } from '../../domain/conversations/hear-reply.ts'
import { showReply } from '../../domain/conversations/show-reply.ts'
import { showRequirement } from '../../domain/conversations/show-requirement.ts'
import { handOut } from '../../domain/engine/hand-out.ts'
import { heedRepository } from '../../domain/engine/heed-repository.ts'
import { mergeChange, openPullRequest, openRevert, watchMain } from '../../domain/engine/merge.ts'
import { postVerdict } from '../../domain/engine/post-verdict.ts'
import { investigateIncident } from '../../domain/incidents/investigate.ts'
import { mailMember } from '../../domain/incidents/mail-member.ts'
import { postIncident } from '../../domain/incidents/post-incident.ts'
import { revertMerge } from '../../domain/incidents/revert-merge.ts'
import { updateAlertInSource } from '../../domain/incidents/update-alert-in-source.ts'
import { withdrawQuestion } from '../../domain/incidents/withdraw-moot-question.ts'
import { commentIssue } from '../../domain/mirror/comment-issue.ts'
import { writeIssue } from '../../domain/mirror/write-issue.ts'
import { writeStory } from '../../domain/mirror/write-story.ts'
import { mailNotification } from '../../domain/notifications/mail.ts'
import { pushNotification } from '../../domain/notifications/push.ts'
import type { Performers } from '../../domain/outbox/perform.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { submitProposal } from '../../domain/requirements/submit-proposal.ts'
import { confirmSubscription } from '../../domain/sources/confirm-subscription.ts'
import type { Secrets } from '../../infra/secrets.ts'

export interface PerformerSettings {
  secrets: Pick<Secrets, 'decrypt'>
  /** Known once the server listens. */
  publicUrl: () => string
}

/** Who does which effect. */
export const performersFor = (ports: Ports, { secrets, publicUrl }: PerformerSettings): Performers => ({
  hand_out: handOut(ports.work),
  open_pull_request: heedRepository(openPullRequest(ports.gitHost)),
  merge: heedRepository(mergeChange(ports.gitHost)),
  check_main: watchMain(ports.gitHost),
  open_revert: heedRepository(openRevert(ports.gitHost)),
  post_verdict: heedRepository(postVerdict(ports.gitHost, { publicUrl })),
  revert_merge: heedRepository(revertMerge(ports.gitHost)),
  comment_issue: commentIssue({ trackers: ports.trackers, secrets, publicUrl }, ports.tracker),
  write_story: writeStory({ trackers: ports.trackers, secrets, publicUrl }, ports.tracker),
  write_issue: writeIssue({ trackers: ports.trackers, secrets, publicUrl }),
  submit_requirement: submitProposal(ports.splitter, { publicUrl }),
  investigate_incident: investigateIncident(ports.history),
  post_incident: postIncident(ports.chat, { publicUrl }, { secrets }),
  show_decision: showDecision(ports.chat, ports.gitHost, { secrets, publicUrl }),
  hear_reply: hearReply({ splitter: ports.splitter, gitHost: ports.gitHost }),
  show_requirement: showRequirement(ports.chat, { secrets, publicUrl }),
  show_reply: showReply(ports.chat, { secrets }),
  whisper: whisper(ports.chat, { secrets }),
  offer_chat_link: offerChatLink(ports.chat, { secrets, publicUrl }),
  mail_member: mailMember(ports.mailer, { publicUrl }),
  mail_notification: mailNotification(ports.mailer, { publicUrl }),
  push_notification: pushNotification(ports.push),
  update_alert: updateAlertInSource(ports.pagers, secrets),
  withdraw_question: withdrawQuestion,
  confirm_subscription: confirmSubscription(ports.web),
})
