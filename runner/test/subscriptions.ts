import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { findAgents } from '../agents/find.ts'
import { measureBox } from '../box/measure.ts'
import { Site } from './drive.ts'
import { whyNoMaker } from './maker.ts'
import { startModel } from './model/model.ts'
import { usageOf } from './play.ts'
import { scripts } from './scenarios.ts'
import { driveSubscribed } from './subscribed.ts'

/**
 * Part of `npm run test:agents`, after the matrix has installed them: the agents that can use a subscription sign in with
 * one, in the box, and edit a file. Their makers' hosts are played on loopback; everything else is theirs and ours.
 * Rewrites its section of docs/agents.md.
 */
const root = path.join(import.meta.dirname, '..', '..')
const { values: options } = parseArgs({
  options: { folder: { type: 'string', default: path.join(root, 'node_modules', '.cache', 'agents') } },
})

const cases = [
  { name: 'Claude Code', folder: 'claude', choice: 'claude_code=native' },
  { name: 'Claude Code', folder: 'claude-acp', choice: 'claude_code=acp' },
  { name: 'Codex', folder: 'codex', choice: 'codex=native' },
  { name: 'Codex', folder: 'codex-acp', choice: 'codex=acp' },
  { name: 'Gemini CLI', folder: 'gemini', choice: 'gemini=native' },
  { name: 'Gemini CLI', folder: 'gemini', choice: 'gemini=acp' },
]

const token = (claims: object) =>
  `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`

/** Sign-ins as each agent leaves them. */
function signIns(): Record<string, object> {
  const exp = Math.floor(Date.now() / 1000) + 3_600
  const account = { chatgpt_account_id: 'account-1', chatgpt_user_id: 'user-1', chatgpt_plan_type: 'plus' }
  const claims = { exp, email: 'operator@example.com', 'https://api.openai.com/auth': account }
  return {
    '.claude/.credentials.json': {
      claudeAiOauth: {
        ...{ accessToken: 'sk-ant-oat01-operator', refreshToken: 'sk-ant-ort01-operator' },
        ...{ expiresAt: exp * 1000, scopes: ['user:inference'], subscriptionType: 'max' },
      },
    },
    '.codex/auth.json': {
      OPENAI_API_KEY: null,
      tokens: {
        ...{ id_token: token(claims), access_token: token(claims) },
        ...{ refresh_token: 'codex-refresh', account_id: 'account-1' },
      },
      last_refresh: new Date().toISOString(),
    },
    '.gemini/oauth_creds.json': {
      ...{ access_token: 'google-access', refresh_token: 'google-refresh', token_type: 'Bearer' },
      ...{ scope: 'https://www.googleapis.com/auth/cloud-platform', expiry_date: exp * 1000 },
    },
  }
}

async function play({ name, folder: installed, choice }: (typeof cases)[number]): Promise<string[]> {
  using site = new Site()
  await using model = await startModel(scripts(site.worktree, '/out'))
  const folder = mkdtempSync(path.join(tmpdir(), 'subscription-'))
  try {
    for (const [file, content] of Object.entries(signIns())) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      writeFileSync(path.join(folder, file), JSON.stringify(content))
    }
    const searchPath = path.join(options.folder, installed, 'node_modules', '.bin')
    const agent = findAgents({ searchPath, choices: [choice] })[0]!
    const { seen, maker } = await driveSubscribed(agent, box, site, {
      ...{ model, folder, place: { home: folder, environment: {} }, prompt: 'Play scenario-edit.' },
    })
    const greeting = readFileSync(path.join(site.worktree, 'greeting.txt'), 'utf8').trim()
    const isDone = seen.end.ended === 'normally' && greeting === 'Hello.'
    if (!isDone) process.stderr.write(`${JSON.stringify([seen.end, maker.calls])}\n`)
    const usages = usageOf(seen)
    // Money comes while it works, where it comes at all, tokens at the end.
    const all = (of: (usage: (typeof usages)[number]) => number | null | undefined) =>
      usages.reduce((sum, usage) => sum + (of(usage) ?? 0), 0)
    const money = usages.some(({ amount }) => amount !== null)
    const tokens = `${all(({ input }) => input)} in, ${all(({ output }) => output)} out`
    const tells = `${tokens}${money ? `; ${all(({ amount }) => amount).toFixed(5)} USD` : ''}`
    const reached = [...maker.hosts].map((host) => host.replace(':443', '')).toSorted()
    const wanted = maker.passage.refused.toSorted()
    return [
      ...[name, agent.executor.version ?? '?', agent.executor.via, isDone ? 'yes' : `no (${seen.end.ended})`],
      ...[reached.join(', '), wanted.join(', ') || 'nothing', tells],
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const heading = '## With a subscription'
const heads = ['Agent', 'Version', 'Via', 'Edit', 'Reaches', 'Also wants', 'Tells of the edit']

const { box } = await measureBox()
const why = box.isolation.backend === 'bubblewrap' ? whyNoMaker() : 'bubblewrap is not there'
if (why) {
  process.stdout.write(`Subscriptions were not tried: ${why}.\n`)
  process.exit()
}
const rows: string[][] = []
for (const each of cases) rows.push(await play(each))
const lines = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
process.stdout.write(`${lines}\n`)
const file = path.join(root, 'docs', 'agents.md')
const [before = '', ...sections] = readFileSync(file, 'utf8').split(/^(?=## )/m)
const section = `${heading}

Each of these signs in with an account instead of a key, in the box, through a tunnel that leads to the hosts of its maker and nowhere else ([how](manual/agents.md#with-a-subscription)). The hosts are played on loopback.

${lines}

- **Reaches**: what it asked for through the tunnel and got. **Also wants**: what it asked for and was refused; it works without.
- **Tells of the edit**: these numbers are what the run costs, marked as the agent's own.
`
const others = sections.filter((text) => !text.startsWith(heading))
writeFileSync(
  file,
  [before.trimEnd(), section.trimEnd(), ...others.map((text) => text.trimEnd())].join('\n\n').concat('\n'),
)
if (rows.some(([, , , edit]) => edit !== 'yes')) process.exitCode = 1
process.exit()
