import type { PersonalReads, PersonalWrites, Reads, Writes } from '@signalbox/contract/app/index.ts'
import { accountAnswers } from './account.ts'
import { auditAnswers } from './audit.ts'
import { decisionsAnswers } from './decisions.ts'
import { incidentsAnswers } from './incidents.ts'
import { insightsAnswers } from './insights.ts'
import { meAnswers } from './me.ts'
import { membersAnswers } from './members.ts'
import type { Answers, PersonalAnswers } from './operation.ts'
import { policiesAnswers } from './policies.ts'
import { requirementsAnswers } from './requirements.ts'
import { runsAnswers } from './runs.ts'
import { sendersAnswers } from './senders.ts'
import { servicesAnswers } from './services.ts'
import { sourcesAnswers } from './sources.ts'
import { storiesAnswers } from './stories.ts'
import { teamsAnswers } from './teams.ts'
import { tokensAnswers } from './tokens.ts'
import { workspacesAnswers, workspacesPersonalAnswers } from './workspaces.ts'

/** How each operation of the app is answered; by its type, none is missing. */
export const answers: Answers<Reads & Writes> = {
  ...auditAnswers,
  ...decisionsAnswers,
  ...incidentsAnswers,
  ...insightsAnswers,
  ...membersAnswers,
  ...policiesAnswers,
  ...requirementsAnswers,
  ...runsAnswers,
  ...sendersAnswers,
  ...servicesAnswers,
  ...sourcesAnswers,
  ...storiesAnswers,
  ...teamsAnswers,
  ...tokensAnswers,
  ...workspacesAnswers,
}

export const personalAnswers: PersonalAnswers<PersonalReads & PersonalWrites> = {
  ...meAnswers,
  ...accountAnswers,
  ...workspacesPersonalAnswers,
}
