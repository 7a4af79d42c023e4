import * as lines from './command-lines.ts'
import { type Commands, command, explainedBy } from './program.ts'

/** What people do with their work, on any machine. Each is a file of its own. */
export const peopleCommands: Commands = explainedBy(reportingErrors, {
  login: command('sign in to a server', lines.loginLine, () => import('./commands/login.ts')),
  logout: command('sign out', lines.logoutLine, () => import('./commands/logout.ts')),
  inbox: command('decisions waiting for an answer', lines.inboxLine, () => import('./commands/inbox.ts')),
  show: command('a decision, run, story or incident', lines.showLine, () => import('./commands/show.ts')),
  answer: command('answer a decision', lines.answerLine, () => import('./commands/answer.ts')),
  stories: command('stories by team', lines.storiesLine, () => import('./commands/stories.ts')),
  runs: command('runs, newest first', lines.runsLine, () => import('./commands/runs.ts')),
  logs: command('the log of a run, live with -f', lines.logsLine, () => import('./commands/logs.ts')),
  incidents: command(
    ...(['list open incidents, or acknowledge one', lines.incidentsLine] as const),
    () => import('./commands/incidents.ts'),
    ['ack'],
  ),
  watch: command('decisions and runs as they change', lines.watchLine, () => import('./commands/watch.ts')),
  open: command('open the app in your browser', lines.openLine, () => import('./commands/open.ts')),
  export: command('the configuration as a file', lines.exportLine, () => import('./commands/export.ts')),
  diff: command('what a file would change', lines.diffLine, () => import('./commands/diff.ts')),
  apply: command(
    'change the workspace to match a file',
    lines.applyLine,
    () => import('./commands/apply.ts'),
  ),
  schema: command('the JSON schema of the file', lines.schemaLine, () => import('./commands/schema.ts')),
  mcp: command('MCP on standard input and output', lines.mcpLine, () => import('./commands/mcp.ts')),
})

/** Loaded with the first command: a server that starts has no use for it. */
async function reportingErrors(run: () => Promise<void>): Promise<void> {
  const told = await import('./report-errors.ts')
  await told.reportingErrors(run)
}
