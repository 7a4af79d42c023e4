import { enableCompileCache } from 'node:module'
import path from 'node:path'
import { ConfigError } from './app/config.ts'
import { StorageError } from './app/storage.ts'
import { DomainError } from './domain/errors.ts'
import { EmbeddedDatabaseError } from './infra/db/embedded.ts'
import { MigrationError } from './infra/db/migrate.ts'

// Types are taken out once, not at every start. Not in the shared temporary folder, where others could leave us code.
enableCompileCache(path.join(import.meta.dirname, '..', 'node_modules', '.cache', 'compile'))

/** The command line. Each command is a file of its own, loaded when it is asked for. */
const commands: Record<
  string,
  { about: string; load: () => Promise<{ run(args: string[]): Promise<void> }> }
> = {
  serve: { about: 'serve, on the configured database', load: () => import('./commands/serve.ts') },
  demo: {
    about: 'serve a demo workspace: [--json] [--port N] [--data DIR]',
    load: () => import('./commands/demo.ts'),
  },
  admin: {
    about: 'make workspaces, people and tokens; admin help tells more',
    load: () => import('./commands/admin.ts'),
  },
  migrate: { about: 'bring the database up to date and stop', load: () => import('./commands/migrate.ts') },
  'verify-audit': {
    about:
      'prove the audit log: [--workspace W] [--checkpoint FILE], or offline: --file EXPORT --proof FILE [--key KEY]',
    load: () => import('./commands/verify-audit.ts'),
  },
  'explain-alert': {
    about: "show what a delivery of alerts means: --kind KIND [--header 'Name: value'] FILE",
    load: () => import('./commands/explain-alert.ts'),
  },
}

const [name = 'help', ...args] = process.argv.slice(2)
try {
  const command = commands[name]
  if (command) await (await command.load()).run(args)
  else {
    const known = Object.entries(commands).map(([word, { about }]) => `  ${word.padEnd(14)} ${about}`)
    process.stderr.write(`Usage: npm run signalbox -- COMMAND\n\n${known.join('\n')}\n`)
    process.exitCode = name === 'help' ? 0 : 2
  }
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`${isExpected(error) ? (error as Error).message : (error as Error).stack}\n`)
}

/** Mistakes that a sentence explains; anything else needs its stack. */
function isExpected(error: unknown): boolean {
  const { code = '' } = error as { code?: string }
  return (
    [ConfigError, DomainError, EmbeddedDatabaseError, MigrationError, StorageError].some(
      (kind) => error instanceof kind,
    ) ||
    code.startsWith('ERR_PARSE_ARGS') ||
    ['EADDRINUSE', 'EACCES', 'ECONNREFUSED', 'ENOTFOUND', 'ENOENT'].includes(code) ||
    /^(28|3D)/.test(code)
  )
}
