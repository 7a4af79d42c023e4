import { type CommandLine, usualOptions } from '@signalbox/contract/command-line.ts'

/** What each command of people takes. */

const mostNoteLength = 4_000
const shells = ['bash', 'zsh', 'fish']

const wholeNumber = (name: string, value: unknown, least: number, most: number): string | null =>
  value === undefined || (/^\d{1,6}$/.test(String(value)) && Number(value) >= least && Number(value) <= most)
    ? null
    : `--${name} takes a whole number from ${least} to ${most}.`

const oneKey = ({ positionals }: { positionals: string[] }) =>
  positionals.length === 1 ? null : 'Name one KEY, such as dec-k3x9, run-7k2q or WEB-12.'

export const loginLine = {
  usage: `Usage: signalbox login [--url URL] [--workspace SLUG]
       signalbox login [--url URL] --with-token

Signs you in and remembers the account for the other commands. Without --with-token, you confirm a code in your browser.
You can set SIGNALBOX_URL and SERVICE_API_KEY (or SERVICE_API_KEY_FILE) instead; then nothing is stored.

  --url URL         the address of the server (the last one, or http://127.0.0.1:4400)
  --workspace SLUG  the workspace to work in, if you are a member of several
  --with-token      reads an API token from standard input instead
${usualOptions}`,
  options: { url: { type: 'string' }, workspace: { type: 'string' }, 'with-token': { type: 'boolean' } },
  check: ({ values }) =>
    values['with-token'] && values.workspace !== undefined
      ? 'A token belongs to one workspace: leave out --workspace.'
      : null,
} as const satisfies CommandLine

export const logoutLine = {
  usage: `Usage: signalbox logout

Ends the session and forgets the account. A token that was created by login is revoked.

${usualOptions}`,
  options: {},
} as const satisfies CommandLine

export const inboxLine = {
  usage: `Usage: signalbox inbox [--team SLUG]

Lists the decisions that are waiting for an answer, newest first.

  --team SLUG  only this team
${usualOptions}`,
  options: { team: { type: 'string' } },
} as const satisfies CommandLine

export const showLine = {
  usage: `Usage: signalbox show KEY

Shows a decision, a run, a story or an incident.

${usualOptions}`,
  options: {},
  words: true,
  check: oneKey,
} as const satisfies CommandLine

export const answerLine = {
  usage: `Usage: signalbox answer DECISION OPTION [--note TEXT]

Answers a decision. OPTION is its number as show lists it, or its id. The first answer wins: if someone else was first,
the exit code is 5.

  --note TEXT  a note to go with the answer, up to ${mostNoteLength.toLocaleString('en')} characters
${usualOptions}`,
  options: { note: { type: 'string' } },
  words: true,
  check({ values: { note }, positionals }) {
    if (positionals.length !== 2) return 'Name one DECISION and one OPTION, as in: answer dec-k3x9 1'
    return typeof note === 'string' && note.length > mostNoteLength
      ? `--note has more than ${mostNoteLength.toLocaleString('en')} characters.`
      : null
  },
} as const satisfies CommandLine

export const storiesLine = {
  usage: `Usage: signalbox stories [--team SLUG] [--drafts] [--limit N]

Lists stories, newest first, team by team.

  --team SLUG  only this team
  --drafts     also drafts that are not approved yet
  --limit N    at most N per team (25)
${usualOptions}`,
  options: { team: { type: 'string' }, drafts: { type: 'boolean' }, limit: { type: 'string' } },
  check: ({ values: { limit } }) => wholeNumber('limit', limit, 1, 10_000),
} as const satisfies CommandLine

export const runsLine = {
  usage: `Usage: signalbox runs [--team SLUG] [--story KEY] [--limit N]

Lists runs, newest first.

  --team SLUG  only this team
  --story KEY  only this story
  --limit N    at most N (25)
${usualOptions}`,
  options: { team: { type: 'string' }, story: { type: 'string' }, limit: { type: 'string' } },
  check: ({ values: { limit } }) => wholeNumber('limit', limit, 1, 10_000),
} as const satisfies CommandLine

export const logsLine = {
  usage: `Usage: signalbox logs [-f] RUN

Prints the log of a run. Needs a sign-in with the browser.

  --follow, -f  keeps printing until the run is over; with --json, one JSON value per line
${usualOptions}`,
  options: { follow: { type: 'boolean', short: 'f' } },
  words: true,
  check: ({ positionals }) => (positionals.length === 1 ? null : 'Name one RUN, such as run-7k2q.'),
} as const satisfies CommandLine

export const incidentsLine = {
  usage: `Usage: signalbox incidents [--all]
       signalbox incidents ack INCIDENT

Lists open incidents, or acknowledges one. Needs a sign-in with the browser.

  --all        also those that are resolved
${usualOptions}`,
  options: { all: { type: 'boolean' } },
  words: true,
  check({ positionals: [verb, ...rest] }) {
    if (verb === undefined) return null
    return verb === 'ack' && rest.length === 1 ? null : 'Name one INCIDENT, as in: incidents ack inc-4m8t'
  },
} as const satisfies CommandLine

export const watchLine = {
  usage: `Usage: signalbox watch [--every SECONDS] [RUN]

Prints decisions as they are raised and answered, and runs as they move, until you stop it. With a RUN, it prints that
run until it is over; the exit code is 0 if it succeeded and 1 if not.

  --every SECONDS  how often to ask the server (5)
${usualOptions}
With --json, it prints one JSON value per line.
`,
  options: { every: { type: 'string' } },
  words: true,
  check({ values: { every }, positionals }) {
    if (positionals.length > 1) return 'Name one RUN, or none.'
    return wholeNumber('every', every, 1, 3_600)
  },
} as const satisfies CommandLine

export const openLine = {
  usage: `Usage: signalbox open [--print] [KEY]

Opens a decision, a run, a story or an incident in your browser; without a KEY, the inbox.

  --print      prints the address instead
${usualOptions}`,
  options: { print: { type: 'boolean' } },
  words: true,
  check: ({ positionals }) => (positionals.length > 1 ? 'Name one KEY, or none.' : null),
} as const satisfies CommandLine

export const mcpLine = {
  usage: `Usage: signalbox mcp [--toolsets LIST] [--tools LIST] [--read-only]

Connects coding agents that can't use HTTP: speaks MCP on standard input and output and passes it on to the server.

  --toolsets LIST  oncall, admin or all, as in the address of the server
  --tools LIST     only these tools
  --read-only      only tools that don't change anything
${usualOptions}`,
  options: {
    toolsets: { type: 'string' },
    tools: { type: 'string' },
    'read-only': { type: 'boolean' },
  },
} as const satisfies CommandLine

export const exportLine = {
  usage: `Usage: signalbox export > signalbox.yaml

Prints the configuration of the workspace as a file for diff and apply, without secrets. Needs a token that may
manage the configuration, as diff and apply do.

${usualOptions}`,
  options: {},
} as const satisfies CommandLine

export const diffLine = {
  usage: `Usage: signalbox diff [-f FILE] [--prune] [--check]

Prints what apply would change, without changing anything.

  --file, -f FILE  the configuration, YAML or JSON; - is standard input (signalbox.yaml)
  --prune          also deletes what was managed by a file and is no longer in it
  --check          exits with 2 if there are differences, for CI
${usualOptions}`,
  options: {
    file: { type: 'string', short: 'f' },
    prune: { type: 'boolean' },
    check: { type: 'boolean' },
  },
} as const satisfies CommandLine

export const applyLine = {
  usage: `Usage: signalbox apply [-f FILE] [--prune] [--yes]

Changes the workspace to match the file. It prints the plan and asks before it changes anything. What is not in the file
is left alone, and nothing is deleted without --prune.

  --file, -f FILE  the configuration, YAML or JSON; - is standard input (signalbox.yaml)
  --prune          also deletes what was managed by a file and is no longer in it
  --yes            applies without asking
${usualOptions}`,
  options: {
    file: { type: 'string', short: 'f' },
    prune: { type: 'boolean' },
    yes: { type: 'boolean' },
  },
} as const satisfies CommandLine

export const schemaLine = {
  usage: `Usage: signalbox schema > signalbox.schema.json

Prints the JSON schema of the configuration file, for editors.

${usualOptions}`,
  options: {},
} as const satisfies CommandLine

export const completionLine = {
  usage: `Usage: signalbox completion ${shells.join('|')}

Prints a script that completes commands and options in your shell:

  bash  source <(signalbox completion bash)
  zsh   source <(signalbox completion zsh)
  fish  signalbox completion fish | source

${usualOptions}`,
  options: {},
  words: true,
  check: ({ positionals }) =>
    positionals.length === 1 && shells.includes(positionals[0]!) ? null : `Name one of ${shells.join(', ')}.`,
} as const satisfies CommandLine
