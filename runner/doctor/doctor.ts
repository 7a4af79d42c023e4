import { homedir } from 'node:os'
import { parseArgs } from 'node:util'
import { visible, visibleJson } from '@signalbox/contract/visible.ts'
import { findAgents as lookForAgents } from '../agents/find.ts'
import { chooseOwner } from '../box/owner.ts'
import { options, readConfig } from '../config.ts'
import { ExitError, exitCodes } from '../exit-error.ts'
import { upstreamsFrom } from '../gateway/apis.ts'
import { findAccess } from './access.ts'
import type { Finding } from './finding.ts'
import {
  findAgents,
  findBubblewrap,
  findDisk,
  findFilter,
  findGit,
  findGvisor,
  findImages,
  findLimits,
  findUser,
} from './machine.ts'
import { findServer } from './server.ts'

/** `signalbox-runner doctor`: what this machine has and lacks, and how to get it. Ends with 1 when something is lacking. */
export async function examine(args: string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const agents = lookForAgents({ searchPath: environment.PATH ?? '' }).map(({ executor }) => executor)
  const given = looselyIn(args)
  const owner = chooseOwner(given.user ? String(given.user) : null)
  const findings = [
    findUser(owner),
    findGit(),
    findBubblewrap(undefined, undefined, owner),
    ...findFilter(),
    ...findGvisor(given.box === 'gvisor'),
    ...findImages(given.box ? String(given.box) : null),
    findAgents(agents),
    ...findAccess(
      agents.map(({ name }) => name),
      {
        upstreams: upstreamsFrom(environment),
        subscriptions: wordsIn(given.subscriptions),
        environment,
        home: homedir(),
      },
    ),
    ...(await findServerAndDisk(args, environment)),
  ]
  const isLacking = findings.some(({ state }) => state === 'lacking')
  process.stdout.write(
    given.json
      ? `${visibleJson(JSON.stringify({ ready: !isLacking, findings }))}\n`
      : visible(table(findings)),
  )
  return isLacking ? exitCodes.failed : exitCodes.done
}

async function findServerAndDisk(args: string[], environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    const config = readConfig(args, environment)
    return [findLimits(config.resourceLimits), findDisk(config.data), ...(await findServer(config))]
  } catch (error) {
    if (!(error instanceof ExitError)) throw error
    return [{ what: 'server', state: 'lacking', found: 'not asked', remedy: error.message }]
  }
}

/** Also where the rest of the options is not complete. */
const looselyIn = (args: string[]) =>
  parseArgs({ args, options: { ...options, json: { type: 'boolean' } }, strict: false }).values

const wordsIn = (given: unknown): string[] =>
  String(given ?? '')
    .split(',')
    .map((name) => name.trim())

const marks = { fine: 'ok', weak: '!', lacking: 'missing' }

export function table(findings: Finding[]): string {
  const columns = (finding: Finding) => [marks[finding.state], finding.what, finding.found]
  const widths = [0, 1].map((at) => Math.max(...findings.map((finding) => columns(finding)[at]!.length)))
  return findings
    .map((finding) => {
      const [mark, what, found] = columns(finding)
      const remedy =
        finding.remedy?.split('\n').map((line) => `\n${' '.repeat(widths[0]! + 2)}→ ${line}`) ?? []
      return `${mark!.padEnd(widths[0]!)}  ${what!.padEnd(widths[1]!)}  ${found}${remedy.join('')}\n`
    })
    .join('')
}
