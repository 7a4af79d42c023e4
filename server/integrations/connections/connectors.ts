import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'
import type { Connector } from '../../domain/ports/connector.ts'
import type { Call } from './call.ts'
import { githubConnector } from './github.ts'
import { gitlabConnector } from './gitlab.ts'
import { jiraConnector } from './jira.ts'
import { linearConnector } from './linear.ts'
import { slackConnector } from './slack.ts'

export const connectorsWith = (call: Call): Record<ConnectionKind, Connector> => ({
  github: githubConnector(call),
  gitlab: gitlabConnector(call),
  jira: jiraConnector(call),
  linear: linearConnector(call),
  slack: slackConnector(call),
})
