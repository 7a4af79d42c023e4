import type { PersonalReads, PersonalWrites, Reads, Writes } from '@signalbox/contract/app/index.ts'
import { accountHandlers } from './account.ts'
import { auditHandlers } from './audit.ts'
import { chatHandlers } from './chat.ts'
import { connectionsHandlers } from './connections.ts'
import { conversationsHandlers } from './conversations.ts'
import { decisionsHandlers } from './decisions.ts'
import { incidentsHandlers } from './incidents.ts'
import { insightsHandlers } from './insights.ts'
import { maintenanceHandlers } from './maintenance.ts'
import { meHandlers } from './me.ts'
import { membersHandlers } from './members.ts'
import { mirrorHandlers } from './mirror.ts'
import { notificationsHandlers } from './notifications.ts'
import type { Handlers, PersonalHandlers } from './operation.ts'
import { policiesHandlers } from './policies.ts'
import { requirementsHandlers } from './requirements.ts'
import { runnersHandlers } from './runners.ts'
import { runsHandlers } from './runs.ts'
import { sendersHandlers } from './senders.ts'
import { servicesHandlers } from './services.ts'
import { sourcesHandlers } from './sources.ts'
import { storiesHandlers } from './stories.ts'
import { teamsHandlers } from './teams.ts'
import { tokensHandlers } from './tokens.ts'
import { webhooksHandlers } from './webhooks.ts'
import { workspacesHandlers, workspacesPersonalHandlers } from './workspaces.ts'

/** How each operation of the app is answered; by its type, none is missing. */
export const handlers: Handlers<Reads & Writes> = {
  ...auditHandlers,
  ...chatHandlers,
  ...connectionsHandlers,
  ...conversationsHandlers,
  ...decisionsHandlers,
  ...incidentsHandlers,
  ...insightsHandlers,
  ...maintenanceHandlers,
  ...membersHandlers,
  ...mirrorHandlers,
  ...notificationsHandlers,
  ...policiesHandlers,
  ...requirementsHandlers,
  ...runnersHandlers,
  ...runsHandlers,
  ...sendersHandlers,
  ...servicesHandlers,
  ...sourcesHandlers,
  ...storiesHandlers,
  ...teamsHandlers,
  ...tokensHandlers,
  ...webhooksHandlers,
  ...workspacesHandlers,
}

export const personalHandlers: PersonalHandlers<PersonalReads & PersonalWrites> = {
  ...meHandlers,
  ...accountHandlers,
  ...workspacesPersonalHandlers,
}
