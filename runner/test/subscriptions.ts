import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { findAgents } from '../agents/find.ts'
import { subscribable } from '../agents/sign-in.ts'
import { measureBox } from '../box/measure.ts'
import { Site } from './drive.ts'
import { whyNoMaker } from './maker.ts'
import { startModel } from './model/model.ts'
import { usageOf } from './play.ts'
import { scripts } from './scenarios.ts'
import { driveSubscribed } from './subscribed.ts'
import { chosen, programsOf, root, type TriedAgent, tableOf, triedOptions } from './tried-agents.ts'

/**
 * Part of `npm run test:agents`: the agents that can use a subscription sign in with one, in the box, and edit a file.
 * Their makers' hosts are played on loopback; everything else is theirs and ours. Rewrites its section of docs/agents.md
 * where all of them were tried.
 */
const { values: options } = parseArgs({ options: triedOptions })
const cases = chosen(options).filter(({ executor }) => subscribable.some((name) => name === executor))

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

async function play(tried: TriedAgent): Promise<string[]> {
  using site = new Site()
  await using model = await startModel(scripts(site.worktree, '/out'))
  const folder = mkdtempSync(path.join(tmpdir(), 'subscription-'))
  try {
    for (const [file, content] of Object.entries(signIns())) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      writeFileSync(path.join(folder, file), JSON.stringify(content))
    }
    const searchPath = programsOf(tried, options.folder)
    const agent = findAgents({ searchPath, choices: [`${tried.executor}=${tried.via}`] })[0]!
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
    const wanted = maker.connectProxy.refused.toSorted()
    return [
      ...[tried.name, agent.executor.version ?? '?', tried.via, isDone ? 'yes' : `no (${seen.end.ended})`],
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
const lines = tableOf([heads, ...rows])
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
if (!options.only)
  writeFileSync(
    file,
    [before.trimEnd(), section.trimEnd(), ...others.map((text) => text.trimEnd())].join('\n\n').concat('\n'),
  )
if (rows.some(([, , , edit]) => edit !== 'yes')) process.exitCode = 1
process.exit()
