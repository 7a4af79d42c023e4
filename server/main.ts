import './quick-start.ts'
import './small-heap.ts'
import { completionCommand } from '@signalbox/cli/completion-command.ts'
import { exitCodesText } from '@signalbox/cli/exit-codes.ts'
import { peopleCommands } from '@signalbox/cli/people-commands.ts'
import { command, explainedBy, runProgram } from '@signalbox/cli/program.ts'
import { version } from './app/version.ts'
import {
  adminLine,
  backupLine,
  doctorLine,
  erasePersonLine,
  explainAlertLine,
  migrateLine,
  restoreLine,
  serveLine,
  verifyAuditLine,
  verifyEvidenceLine,
} from './commands/command-lines.ts'

/** What an operator does on the machine of the server. Each command is a file of its own, loaded when it is asked for. */
const operatorCommands = explainedBy(explained, {
  serve: command('start the server on the configured database', serveLine, loadServe),
  admin: command('create workspaces, people and tokens', adminLine, () => import('./commands/admin.ts')),
  migrate: command(
    'bring the database up to date and stop',
    migrateLine,
    () => import('./commands/migrate.ts'),
  ),
  backup: command(
    'make a backup, even while the server is running',
    backupLine,
    () => import('./commands/backup.ts'),
  ),
  restore: command(
    'restore a backup into an empty folder or database',
    restoreLine,
    () => import('./commands/restore.ts'),
  ),
  'erase-person': command(
    'erase a person; says first what stays',
    erasePersonLine,
    () => import('./commands/erase-person.ts'),
  ),
  doctor: command(
    'check the installation and suggest remedies',
    doctorLine,
    () => import('./commands/doctor.ts'),
  ),
  'verify-audit': command(
    'prove the audit log, or an export of it',
    verifyAuditLine,
    () => import('./commands/verify-audit.ts'),
  ),
  'verify-evidence': command(
    'check the evidence of a run',
    verifyEvidenceLine,
    () => import('./commands/verify-evidence.ts'),
  ),
  'explain-alert': command(
    'show how an alert delivery is read',
    explainAlertLine,
    () => import('./commands/explain-alert.ts'),
  ),
})

/** The code is loaded while the database of a new data folder is made, which takes as long. */
async function loadServe() {
  const { makeDatabase } = await import('./commands/make-database.ts')
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const made = makeDatabase(resolve).finally(resolve)
  // Loading lets nothing else happen in this process.
  await begun
  // Heard below; until then it is no one's.
  made.catch(() => {})
  const { run } = await import('./commands/serve.ts')
  await made
  return { run }
}

async function explained(run: () => Promise<void>): Promise<void> {
  const { orExplain } = await import('./commands/or-explain.ts')
  await orExplain(run())
}

await runProgram(process.argv.slice(2), {
  called: 'npm run signalbox -- ',
  version,
  groups: {
    'On the server': operatorCommands,
    'Your work, from any machine': peopleCommands,
    Shell: new Map([['completion', completionCommand(new Map([...operatorCommands, ...peopleCommands]))]]),
  },
  footer: exitCodesText,
})
