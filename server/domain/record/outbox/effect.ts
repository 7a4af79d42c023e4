import { MergeRead } from '@signalbox/contract/merge-read.ts'
import { nullable, type Of, oneOf } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { Shapes } from '../../shapes.ts'

const text = Type.String()
const whole = Type.Integer()
const team = Type.Object({ id: text, slug: text })

/** The effects there are, with the data each needs. faces/worker maps them to their performers. */
const shapes = {
  hand_out: Type.Object({ fence: whole }),
  open_pull_request: Type.Object({}),
  /** What was read before the merge was asked for: the answer to that may be lost. */
  merge: Type.Object({ read: Type.Optional(MergeRead) }),
  check_main: Type.Object({}),
  open_revert: Type.Object({}),
  /** What was found about a commit, said where its pull request is. */
  post_verdict: Type.Object({
    /** Of several, in which repository; left out: in the one that the run is about. */
    repository: Type.Optional(Type.String()),
    run: text,
    team: text,
    story: text,
    head: text,
    pullRequest: Type.Object({ number: whole, url: text }),
  }),
  revert_merge: Type.Object({
    incident: text,
    team: text,
    repository: nullable(text),
    commit: text,
    pullRequest: nullable(whole),
    title: text,
  }),
  comment_issue: Type.Object({
    issue: Type.Object({ platform: text, key: text, url: text }),
    text,
    story: text,
    team: text,
    run: text,
  }),
  write_story: Type.Object({ storyId: text }),
  write_issue: Type.Object({ storyId: text }),
  submit_requirement: Type.Object({
    team: text,
    text,
    /** Where in a chat tool it was asked for, and the place that shows it; null: its team is not there. */
    from: Type.Optional(Type.Object({ connection: text, channel: text, user: text, place: nullable(text) })),
  }),
  /** What a person replied in a chat tool. */
  hear_reply: Type.Object({ requirement: text, text, source: text }),
  /** In a place of its team, as it is when its turn comes; null: wherever it is shown. */
  show_requirement: Type.Object({ requirement: text, place: nullable(text) }),
  show_reply: Type.Object({ reply: text, place: text }),
  investigate_incident: Type.Object({ incident: text }),
  post_incident: Type.Object({
    incident: text,
    what: oneOf(['opened', 'found', 'updated', 'resolved']),
    place: text,
    /** What a person did. */
    text: Type.Optional(text),
  }),
  /** In a place of its team, as it is when its turn comes. */
  show_decision: Type.Object({ decision: text, place: text }),
  /** A message in a channel of a chat tool that only one person sees. */
  post_ephemeral_message: Type.Object({ connection: text, channel: text, user: text, text }),
  /** Says to a stranger how to become known. */
  offer_chat_link: Type.Object({ connection: text, channel: text, user: text }),
  mail_member: Type.Object({ incident: text, what: oneOf(['opened', 'resolved']), person: text }),
  mail_notification: Type.Object({ notification: text }),
  /** The night shift report, to one person: what it says is read when its turn comes. */
  mail_report: Type.Object({ person: text, morning: text }),
  post_report: Type.Object({ person: text, morning: text }),
  push_notification: Type.Object({ notification: text, browser: text }),
  update_alert: Type.Object({
    ...{ incident: text, alert: text, what: oneOf(['acknowledge', 'resolve']) },
    /** Asked for, and the answer may be lost: what is found done then was done by us. */
    begun: Type.Optional(Type.Boolean()),
  }),
  withdraw_question: Type.Object({ incident: text, team }),
  confirm_subscription: Type.Object({ source: text, topicArn: text, token: text }),
}

export type EffectKind = keyof typeof shapes
export type EffectData = { [K in EffectKind]: Of<(typeof shapes)[K]> }

/**
 * Effects done in the name of the person who asked for them: the log names that person. Effects that move a run are not
 * among these, because there the service acts on their answer.
 */
const inTheirName = new Set<EffectKind>([
  'write_story',
  'write_issue',
  'submit_requirement',
  'hear_reply',
  'revert_merge',
  'comment_issue',
  'update_alert',
])

/** The person the effect is done for; null where the service acts on its own. */
export const ordererOf = ({ actor, channel }: Context, kind: EffectKind) =>
  actor.type === 'human' && inTheirName.has(kind) ? { personId: actor.userId, channel } : null

/** Something that is to be done outside. */
export type NewEffect = {
  [K in EffectKind]: {
    kind: K
    /** Idempotency key: written twice, the effect is done once, and its performer passes the key on. */
    key: string
    data: EffectData[K]
    runId?: string
  }
}[EffectKind]

/** The same when it is due. */
export interface DueEffect<K extends EffectKind = EffectKind> {
  id: string
  workspaceId: string
  runId: string | null
  kind: K
  key: string
  data: EffectData[K]
  /** How often it was tried, this time included. */
  attempts: number
  /** The refusal of a tool that it waited for, as the first of those that do; null: none. */
  parkedBy: string | null
}

/** Names that a node of the release before may still write while an installation is upgraded. */
const formerKinds = new Map<string, EffectKind>([['whisper', 'post_ephemeral_message']])

/** The effect under the name that its kind has now. */
export const withCurrentKind = <E extends { kind: EffectKind }>(effect: E): E => ({
  ...effect,
  kind: formerKinds.get(effect.kind) ?? effect.kind,
})

const checked = new Shapes<EffectKind>(shapes)

/** Checked when it is written and when it is read: between the two there may have been a change of version. */
export const checkEffect = ({ kind, data }: { kind: EffectKind; data: unknown }): void =>
  checked.check(kind, data)
