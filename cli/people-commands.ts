import * as lines from './command-lines.ts'
import { type Commands, command, explainedBy } from './program.ts'

/** What people do with their work, on any machine. Each is a file of its own. */
export const peopleCommands: Commands = explainedBy(explained, {
  login: command('sign in to a server', lines.loginLine, () => import('./commands/login.ts')),
  logout: command('sign out', lines.logoutLine, () => import('./commands/logout.ts')),
  inbox: command('decisions that wait for you', lines.inboxLine, () => import('./commands/inbox.ts')),
  show: command('a decision, run, story or incident', lines.showLine, () => import('./commands/show.ts')),
  answer: command('answer a decision', lines.answerLine, () => import('./commands/answer.ts')),
  stories: command('stories by team', lines.storiesLine, () => import('./commands/stories.ts')),
  runs: command('runs, newest first', lines.runsLine, () => import('./commands/runs.ts')),
  logs: command('the log of a run, also as it grows', lines.logsLine, () => import('./commands/logs.ts')),
  incidents: command(
    ...(['open incidents, and acknowledge one', lines.incidentsLine] as const),
    () => import('./commands/incidents.ts'),
    ['ack'],
  ),
  watch: command('what happens, as it happens', lines.watchLine, () => import('./commands/watch.ts')),
  open: command('open the app in your browser', lines.openLine, () => import('./commands/open.ts')),
  mcp: command('MCP on standard input and output', lines.mcpLine, () => import('./commands/mcp.ts')),
})

/** Loaded with the first command: a server that starts has no use for it. */
async function explained(run: () => Promise<void>): Promise<void> {
  const told = await import('./explained.ts')
  await told.explained(run)
}
