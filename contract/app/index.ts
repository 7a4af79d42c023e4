import * as account from './account.ts'
import * as audit from './audit.ts'
import * as chat from './chat.ts'
import * as connections from './connections.ts'
import * as conversations from './conversations.ts'
import * as decisions from './decisions.ts'
import * as incidents from './incidents.ts'
import * as insights from './insights.ts'
import * as maintenance from './maintenance.ts'
import * as managed from './managed.ts'
import * as me from './me.ts'
import * as members from './members.ts'
import * as mirror from './mirror.ts'
import * as nightReport from './night-report.ts'
import * as notifications from './notifications.ts'
import type { InputOf, ResponseOf } from './operation.ts'
import * as policies from './policies.ts'
import * as practice from './practice.ts'
import * as requirements from './requirements.ts'
import * as runners from './runners.ts'
import * as runs from './runs.ts'
import * as senders from './senders.ts'
import * as services from './services.ts'
import * as singleSignOn from './single-sign-on.ts'
import * as sources from './sources.ts'
import * as stories from './stories.ts'
import * as suggestions from './suggestions.ts'
import * as system from './system.ts'
import * as teams from './teams.ts'
import * as tokens from './tokens.ts'
import * as views from './views.ts'
import * as webhooks from './webhooks.ts'
import * as workspaces from './workspaces.ts'

/** Asked within a workspace: GET /api/w/<workspace>/<operation>. */
export const reads = {
  ...audit.reads,
  ...chat.reads,
  ...connections.reads,
  ...conversations.reads,
  ...decisions.reads,
  ...incidents.reads,
  ...insights.reads,
  ...maintenance.reads,
  ...managed.reads,
  ...members.reads,
  ...mirror.reads,
  ...nightReport.reads,
  ...notifications.reads,
  ...policies.reads,
  ...practice.reads,
  ...requirements.reads,
  ...runners.reads,
  ...runs.reads,
  ...senders.reads,
  ...services.reads,
  ...singleSignOn.reads,
  ...sources.reads,
  ...stories.reads,
  ...suggestions.reads,
  ...system.reads,
  ...teams.reads,
  ...tokens.reads,
  ...views.reads,
  ...webhooks.reads,
  ...workspaces.reads,
}
export type Reads = typeof reads
/** What each takes and is answered with. By name, so that the compiler works each out once. */
export type ReadInputs = { [N in keyof Reads]: InputOf<Reads[N]> }
export type ReadResponses = { [N in keyof Reads]: ResponseOf<Reads[N]> }

/** Done within a workspace: POST /api/w/<workspace>/<operation>. */
export const writes = {
  ...audit.writes,
  ...chat.writes,
  ...connections.writes,
  ...conversations.writes,
  ...decisions.writes,
  ...incidents.writes,
  ...maintenance.writes,
  ...managed.writes,
  ...members.writes,
  ...mirror.writes,
  ...nightReport.writes,
  ...notifications.writes,
  ...policies.writes,
  ...practice.writes,
  ...requirements.writes,
  ...runners.writes,
  ...runs.writes,
  ...services.writes,
  ...singleSignOn.writes,
  ...sources.writes,
  ...stories.writes,
  ...suggestions.writes,
  ...teams.writes,
  ...tokens.writes,
  ...views.writes,
  ...webhooks.writes,
  ...workspaces.writes,
}
export type Writes = typeof writes

/** Asked and done by a person who is signed in, in no workspace: /api/<operation>. */
export const personalReads = { ...me.reads, ...account.reads }
export type PersonalReads = typeof personalReads
export const personalWrites = { ...account.writes, ...workspaces.personalWrites }
export type PersonalWrites = typeof personalWrites
