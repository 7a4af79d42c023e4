import { format } from 'node:util'
import { errors } from '@signalbox/contract/error.ts'
import type pg from 'pg'
import { secretSettings, settings } from '../server/app/config.ts'
import { clientTypes } from './client-types.ts'
import { guardKinds } from './guard-kinds.ts'
import { notice } from './notice.ts'
import { runLife } from './run-life.ts'
import { renderStatements } from './statements/statements.ts'
import { renderTables } from './tables.ts'
import { webhookTypes } from './webhook-types.ts'

/** Every file that is made from another one, by its path. The database must be migrated. */
export async function generatedFiles(connection: pg.ClientConfig): Promise<Record<string, string>> {
  return {
    'server/test/tables.types.ts': await renderTables(connection),
    ...(await renderStatements(connection)),
    'client/openapi.ts': clientTypes(),
    NOTICE: notice(),
    'docs/configuration.md': configuration(),
    '.env.example': environment(),
    'docs/errors.md': errorCodes(),
    'docs/run-life.md': runLife(),
    'docs/manual/webhook-events.md': webhookTypes(),
    'docs/manual/guard.md': guardKinds(),
  }
}

const configuration = () => `# Configuration

Set these as environment variables. The server reports every mistake when it starts. Generated from \`server/app/config.ts\`.

| Variable | Default | Meaning |
|---|---|---|
${Object.entries(settings)
  .map(([name, { default: value, about }]) => `| \`${name}\` | ${value ? `\`${value}\`` : ''} | ${about} |`)
  .join('\n')}

Secrets can also be read from files: ${secretSettings.map((name) => `\`${name}_FILE\``).join(', ')}.
`

const environment = () =>
  `# Copy to .env and start with: node --env-file=.env server/main.ts serve\n\n${Object.entries(settings)
    .map(([name, { default: value, about }]) => format('# %s\n# %s=%s\n', about, name, value))
    .join('\n')}`

const errorCodes = () => `# Error codes

Every error body is \`{"error": {"code": …, "message": …}}\`. The message is for people: it names the parameter and what to do. The code is for programs. Generated from \`contract/error.ts\`.

| Code | Status | Meaning |
|---|---|---|
${Object.entries(errors)
  .map(([code, { status, means }]) => `| \`${code}\` | ${status} | ${means} |`)
  .join('\n')}
`
