import type { PersonalReads, PersonalWrites, Reads, Writes } from '@signalbox/contract/app/index.ts'
import { accountHandlers } from './accounts/account.ts'
import { meHandlers } from './accounts/me.ts'
import { membersHandlers } from './accounts/members.ts'
import { notificationsHandlers } from './accounts/notifications.ts'
import { singleSignOnHandlers } from './accounts/single-sign-on.ts'
import { tokensHandlers } from './accounts/tokens.ts'
import { workspacesHandlers, workspacesPersonalHandlers } from './accounts/workspaces.ts'
import { maintenanceHandlers } from './engine/maintenance.ts'
import { runnersHandlers } from './engine/runners.ts'
import { suggestionsHandlers } from './engine/suggestions.ts'
import { systemHandlers } from './installation/system.ts'
import { incidentsHandlers } from './on-call/incidents.ts'
import { sendersHandlers } from './on-call/senders.ts'
import { servicesHandlers } from './on-call/services.ts'
import { sourcesHandlers } from './on-call/sources.ts'
import type { Handlers, PersonalHandlers } from './operation.ts'
import { practiceHandlers } from './practice/practice.ts'
import { conversationsHandlers } from './reach/conversations.ts'
import { mirrorHandlers } from './reach/mirror.ts'
import { auditHandlers } from './record/audit.ts'
import { managedHandlers } from './record/managed.ts'
import { connectionsHandlers } from './tools/connections.ts'
import { webhooksHandlers } from './tools/webhooks.ts'
import { chatHandlers } from './work/chat.ts'
import { decisionsHandlers } from './work/decisions.ts'
import { insightsHandlers } from './work/insights.ts'
import { nightReportHandlers } from './work/night-report.ts'
import { policiesHandlers } from './work/policies.ts'
import { requirementsHandlers } from './work/requirements.ts'
import { runsHandlers } from './work/runs.ts'
import { storiesHandlers } from './work/stories.ts'
import { teamsHandlers } from './work/teams.ts'
import { viewsHandlers } from './work/views.ts'

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
  ...managedHandlers,
  ...membersHandlers,
  ...mirrorHandlers,
  ...nightReportHandlers,
  ...notificationsHandlers,
  ...policiesHandlers,
  ...practiceHandlers,
  ...requirementsHandlers,
  ...runnersHandlers,
  ...runsHandlers,
  ...sendersHandlers,
  ...servicesHandlers,
  ...singleSignOnHandlers,
  ...sourcesHandlers,
  ...storiesHandlers,
  ...suggestionsHandlers,
  ...systemHandlers,
  ...teamsHandlers,
  ...tokensHandlers,
  ...viewsHandlers,
  ...webhooksHandlers,
  ...workspacesHandlers,
}

export const personalHandlers: PersonalHandlers<PersonalReads & PersonalWrites> = {
  ...meHandlers,
  ...accountHandlers,
  ...workspacesPersonalHandlers,
}
