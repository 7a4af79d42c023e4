import type { CommandLine } from '@signalbox/contract/command-line.ts'
import { usualOptions } from '@signalbox/contract/command-line.ts'
import { roles } from '@signalbox/contract/roles.ts'
import { senderKinds } from '@signalbox/contract/signal.ts'
import { permissions, tokenLifetimes } from '@signalbox/contract/token.ts'
import { headersFrom, kindFrom } from './delivery-arguments.ts'
import { isMonthFile } from './is-month-file.ts'

/**
 * What each command takes. It stands apart from what they do, so that arguments are read before any of it is loaded:
 * `serve` makes a database while it is.
 */

const mostWorkers = 64

export const serveLine = {
  usage: `Usage: npm run signalbox -- serve [--with-runner] [--workers N]

Starts the server on the configured database and runs until SIGINT or SIGTERM. docs/configuration.md lists the settings.

  --with-runner  starts a runner on this machine, with the token in SERVICE_API_KEY
  --workers N    N processes share the port, from 1 to ${mostWorkers} (1)
${usualOptions}`,
  options: { 'with-runner': { type: 'boolean' }, workers: { type: 'string' } },
  check: ({ values: { workers = '1' } }) =>
    /^\d{1,3}$/.test(String(workers)) && Number(workers) >= 1 && Number(workers) <= mostWorkers
      ? null
      : `--workers takes a whole number from 1 to ${mostWorkers}: how many processes share the port.`,
} as const satisfies CommandLine

export const migrateLine = {
  usage: `Usage: npm run signalbox -- migrate [--check | --plan]

Brings the database up to date and stops. The server does the same when it starts.

  --check      lists pending migrations and changes nothing
  --plan       lists the tables they lock, who waits and for how long, and changes nothing
${usualOptions}
Exit codes: 0 done, or with --check nothing is pending, 1 failed, 2 wrong usage, 3 with --check migrations are pending.
`,
  options: { check: { type: 'boolean' }, plan: { type: 'boolean' } },
  check: ({ values }) => (values.check && values.plan ? 'Use --check or --plan, not both.' : null),
} as const satisfies CommandLine

export const backupLine = {
  usage: `Usage: npm run signalbox -- backup [--passphrase-file FILE] DIR
       npm run -s signalbox -- backup --only database|secrets [--passphrase-file FILE] -

Backs up this installation, even while the server is running, and reads the backup back. DIR must be new or empty. The
database and the secrets (SECRET_KEY and the checkpoint log) are separate files, so that you can store them in different
places. - writes one of them to standard output.

  --only PART             database or secrets
  --passphrase-file FILE  encrypts with the passphrase in FILE, instead of BACKUP_PASSPHRASE
${usualOptions}`,
  options: { only: { type: 'string' }, 'passphrase-file': { type: 'string' } },
  words: true,
  check({ values: { only, json }, positionals }) {
    if (positionals.length !== 1) return 'Name one DIR, or - for standard output.'
    if (positionals[0] !== '-')
      return only === undefined ? null : '--only is for standard output (-): a folder gets both.'
    if (only !== 'database' && only !== 'secrets')
      return '--only must be database or secrets: standard output gets one of them.'
    return json ? 'The backup goes to standard output: leave out --json.' : null
  },
} as const satisfies CommandLine

export const restoreLine = {
  usage: `Usage: npm run signalbox -- restore DIR
       npm run signalbox -- restore --database FILE [--secrets FILE]
       npm run signalbox -- restore --check DIR
       npm run signalbox -- restore --record TIME

Restores a backup into the configured database and data folder, which must be empty, and verifies it. Every workspace
gets a signed audit entry, so that verify-audit can tell what was lost from what was tampered with.

  --database FILE         the file with the database; - reads it from standard input
  --secrets FILE          the file with the secrets; not needed where SECRET_KEY is set
  --check                 only reads the backup and says whether it is complete
  --record TIME           records that this database was restored by other means, as it was at TIME (ISO 8601)
  --keep-running          leaves teams as they were; otherwise each is paused until someone resumes it
  --passphrase-file FILE  the passphrase is in FILE, instead of BACKUP_PASSPHRASE
${usualOptions}`,
  options: {
    database: { type: 'string' },
    secrets: { type: 'string' },
    check: { type: 'boolean' },
    record: { type: 'string' },
    'keep-running': { type: 'boolean' },
    'passphrase-file': { type: 'string' },
  },
  words: true,
  check({ values, positionals }) {
    const ways = [positionals.length > 0, values.database !== undefined, values.record !== undefined]
    if (positionals.length > 1 || ways.filter(Boolean).length !== 1)
      return 'Name one DIR, or one FILE with --database, or a TIME with --record.'
    if (values.secrets !== undefined && values.database === undefined)
      return '--secrets goes with --database: a folder holds both.'
    if (values.record === undefined) return null
    return /^\d{4}-\d\d-\d\dT/.test(String(values.record)) && !Number.isNaN(Date.parse(String(values.record)))
      ? null
      : '--record takes a time such as 2026-11-17T20:00:00Z.'
  },
} as const satisfies CommandLine

export const erasePersonLine = {
  usage: `Usage: npm run signalbox -- erase-person [--confirm] EMAIL

Erases a person from this installation: their account, their name and email address, and their personal data in the
audit log. Without --confirm it only says what would be erased and what stays. It cannot be undone.

  --confirm    erases them
${usualOptions}`,
  options: { confirm: { type: 'boolean' } },
  words: true,
  check: ({ positionals }) => (positionals.length === 1 ? null : 'Name one EMAIL.'),
} as const satisfies CommandLine

export const doctorLine = {
  usage: `Usage: npm run signalbox -- doctor

Checks the installation: nodes, migrations, database, disk, clocks, backups, what is waiting and what is failing, each
with a remedy. It changes nothing, and works whether or not the server is running.

${usualOptions}
Exit codes: 0 no problems, 1 something failed, 2 wrong usage or configuration, 3 there are warnings.
`,
  options: {},
} as const satisfies CommandLine

export const verifyAuditLine = {
  usage: `Usage: npm run signalbox -- verify-audit [--workspace W] [--checkpoint FILE]... [--archive DIR]
       npm run signalbox -- verify-audit --file EXPORT --proof FILE [--key KEY]
       npm run signalbox -- verify-audit --file MONTH.jsonl.gz [--key KEY]
       npm run signalbox -- verify-audit --print-key [--workspace W]

Proves the audit log of this installation, or, without any database, an exported file or an archived month.

  --workspace W      only this workspace
  --checkpoint FILE  checkpoints that you stored elsewhere
  --archive DIR      also reads the files of archived months in DIR
  --file EXPORT      an export, as JSON or CSV, or the file of an archived month (.jsonl.gz)
  --proof FILE       its proof, from the address in the Link header of the export
  --key KEY          the verifier key that you trust
  --print-key        prints the verifier keys of this installation
${usualOptions}
Exit codes: 0 verified, 1 something does not match, 2 wrong usage, 3 as sealed, but by an unknown signer.
`,
  options: {
    workspace: { type: 'string' },
    checkpoint: { type: 'string', multiple: true },
    archive: { type: 'string' },
    file: { type: 'string' },
    proof: { type: 'string' },
    key: { type: 'string' },
    'print-key': { type: 'boolean' },
  },
  check: ({ values }) =>
    values.file !== undefined && values.proof === undefined && !isMonthFile(String(values.file))
      ? '--proof is missing: download it from the address in the Link header of the export.'
      : null,
} as const satisfies CommandLine

export const verifyEvidenceLine = {
  usage: `Usage: npm run signalbox -- verify-evidence [--key KEY] FILE

Checks the evidence of a run, as downloaded on its Evidence tab, without any database.

  --key KEY    the verifier key of the workspace
${usualOptions}
Exit codes: 0 verified, 1 something does not match, 2 wrong usage, 3 consistent, but the signer is unknown.
`,
  options: { key: { type: 'string' } },
  words: true,
  check: ({ positionals }) =>
    positionals.length === 1 ? null : 'Name one FILE: download it on the Evidence tab of a run.',
} as const satisfies CommandLine

export const explainAlertLine = {
  usage: `Usage: npm run -s signalbox -- explain-alert --kind KIND [--header 'Name: value']... FILE

Prints, as JSON, how the alert intake would read an authenticated delivery. FILE is its body; - reads it from standard
input. KIND is one of ${senderKinds.join(', ')}.

  --kind KIND              the tool that sends it
  --header 'Name: value'   a header of the delivery
${usualOptions}`,
  options: { kind: { type: 'string' }, header: { type: 'string', multiple: true } },
  words: true,
  check({ values: { kind, header = [] }, positionals }) {
    if (kind === undefined) return '--kind is missing.'
    if (kindFrom(String(kind)) === null) return `There is no kind "${kind}".`
    if (headersFrom(header as string[]) === null)
      return "--header takes a name and a value, like 'Content-Type: application/json'."
    return positionals.length === 1 ? null : 'Name one file, or - for standard input.'
  },
} as const satisfies CommandLine

/** What each command of `admin` needs, and what it may also have. */
const adminOptions = {
  'workspace create': { needs: ['slug'], may: ['name'] },
  'workspace delete': { needs: ['workspace'], may: [] },
  'workspace clear-networks': { needs: ['workspace'], may: [] },
  'workspace clear-single-sign-on': { needs: ['workspace'], may: [] },
  'person create': { needs: ['workspace', 'email'], may: ['name', 'role', 'password'] },
  'person role': { needs: ['workspace', 'email', 'role'], may: [] },
  'person remove': { needs: ['workspace', 'email'], may: [] },
  'person reset-link': { needs: ['email'], may: [] },
  'person forget-factors': { needs: ['email'], may: [] },
  'token create': { needs: ['workspace', 'email', 'permissions', 'expires'], may: ['name', 'manage'] },
  'token revoke': { needs: ['workspace', 'token'], may: [] },
  'run stuck': { needs: ['workspace'], may: [] },
  'main green': { needs: ['workspace', 'team'], may: [] },
  'main red': { needs: ['workspace', 'team', 'commit', 'findings'], may: [] },
} as const satisfies Record<string, { needs: readonly string[]; may: readonly string[] }>

export type AdminCommand = keyof typeof adminOptions

export const adminLine = {
  usage: `Usage: npm run signalbox -- admin COMMAND

Commands for operators, on the server’s machine. They work while the server is running.

  workspace create --slug S [--name N]
  workspace delete --workspace W
  workspace clear-networks --workspace W     let it be used from anywhere again
  workspace clear-single-sign-on --workspace W     let people sign in any way again
  person create    --workspace W --email E [--name N] [--role ${roles.join('|')}] [--password P]
  person role      --workspace W --email E --role ${roles.join('|')}
  person remove    --workspace W --email E
  person reset-link      --email E    prints a one-time link to choose a new password, valid for an hour
  person forget-factors  --email E    removes the passkeys and authenticator app of a person who lost them
  token create     --workspace W --email E --permissions read,write --expires ${Object.keys(tokenLifetimes).join('|')} [--name N] [--manage]
  token revoke     --workspace W --token ID_OR_PREFIX
  run stuck        --workspace W
  main green       --workspace W --team T
  main red         --workspace W --team T --commit SHA --findings TEXT

${usualOptions}`,
  options: {
    slug: { type: 'string' },
    name: { type: 'string' },
    workspace: { type: 'string' },
    email: { type: 'string' },
    role: { type: 'string' },
    password: { type: 'string' },
    permissions: { type: 'string' },
    expires: { type: 'string' },
    manage: { type: 'boolean' },
    token: { type: 'string' },
    team: { type: 'string' },
    commit: { type: 'string' },
    findings: { type: 'string' },
  },
  words: true,
  check({ values, positionals }) {
    const name = positionals.join(' ')
    if (name === '') return 'Name a command.'
    if (!Object.hasOwn(adminOptions, name)) return `There is no command "admin ${name}".`
    const { needs, may }: { needs: readonly string[]; may: readonly string[] } =
      adminOptions[name as AdminCommand]
    const given = Object.keys(values).filter((option) => option !== 'json')
    const missing = needs.find((option) => !values[option])
    if (missing) return `--${missing} is missing.`
    const more = given.find((option) => !needs.includes(option) && !may.includes(option))
    if (more) return `"admin ${name}" takes no --${more}.`
    return (
      notOneOf('role', values.role, roles) ??
      notOneOf('expires', values.expires, Object.keys(tokenLifetimes)) ??
      wordsIn(values.permissions)
        .map((word) => notOneOf('permissions', word, permissions))
        .find((mistake) => mistake !== null) ??
      null
    )
  },
} as const satisfies CommandLine

const notOneOf = (option: string, value: unknown, allowed: readonly string[]): string | null =>
  value === undefined || allowed.includes(String(value))
    ? null
    : `--${option} must be one of ${allowed.join(', ')}.`

const wordsIn = (given: unknown): string[] =>
  given === undefined
    ? []
    : String(given)
        .split(',')
        .map((word) => word.trim())
