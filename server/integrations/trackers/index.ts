import type { Trackers } from '../../domain/ports/tracker.ts'
import type { Clock } from '../../infra/clock.ts'
import type { Call } from '../connections/call.ts'
import { githubIssues } from './github.ts'
import { gitlabIssues } from './gitlab.ts'
import { jiraIssues } from './jira.ts'
import { linearIssues } from './linear.ts'

/** One per tool, each called through the one way to call a connection. */
export const trackersFor = (call: Call, clock: Clock): Trackers => ({
  github: githubIssues(call),
  gitlab: gitlabIssues(call),
  jira: jiraIssues(call, () => clock.now()),
  linear: linearIssues(call, () => clock.now()),
})
