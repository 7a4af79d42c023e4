import { readFileSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { getCACertificates } from 'node:tls'
import type { Provider } from '@pydantic/genai-prices'
import { imageFeature } from '@signalbox/contract/runner/messages.ts'
import { type AccessOptions, accessOf, signInFor } from './agents/access.ts'
import type { Agent } from './agents/agent.ts'
import { findAgents } from './agents/find.ts'
import { findProgram } from './agents/installed.ts'
import type { Box } from './box/box.ts'
import { cleanIn } from './box/clean.ts'
import { exposureOf, privateHere } from './box/exposure.ts'
import { resolvePrograms } from './box/host-programs.ts'
import { measureBox } from './box/measure.ts'
import { detectLimitTools, withResourceLimits } from './box/resource-limits.ts'
import type { Config } from './config.ts'
import { Trash } from './disk/trash.ts'
import { writeAtomically } from './disk/write-atomically.ts'
import { ExitError, exitCodes } from './exit-error.ts'
import { BaseRuns } from './gates/base-runs.ts'
import { upstreamsFrom } from './gateway/apis.ts'
import { usualRegistries } from './gateway/connect-proxy.ts'
import { collectGarbage } from './git/garbage.ts'
import { Stores } from './git/store.ts'
import { openIdentity } from './identity/identity.ts'
import { Images, usualImageRegistries } from './images/images.ts'
import { Podman } from './images/podman.ts'
import { markOfRunner } from './orders/marked-processes.ts'
import { unpackBelow } from './programs/own-program.ts'
import { version } from './version.ts'
import type { Workshop } from './work/workshop.ts'

/** Looks for agents, measures what keeps them in, and opens what every order needs. */
export async function openWorkshop(
  config: Pick<
    Config,
    | 'data'
    | 'agents'
    | 'gitFolders'
    | 'registries'
    | 'imageRegistries'
    | 'toolchains'
    | 'models'
    | 'quotaBytes'
    | 'resourceLimits'
    | 'subscriptions'
    | 'box'
    | 'user'
  >,
  environment: NodeJS.ProcessEnv,
): Promise<Workshop> {
  const agents = findAgents({
    ...{ searchPath: environment.PATH ?? '', choices: config.agents, data: config.data },
  })
  refuseExposed(config, agents)
  const identity = openIdentity(config.data)
  unpackBelow(config.data)
  const measured = await measureBox({ choice: config.box, user: config.user, data: config.data })
  const box = withResourceLimits(measured.box, config.resourceLimits, detectLimitTools())
  const trash = new Trash(path.join(config.data, 'trash'), cleanIn(box))
  const mark = markOfRunner(identity.instance)
  const images = await openImages(config, { environment, box, trash, mark })
  const stores = new Stores(path.join(config.data, 'repositories'), {
    allow: config.gitFolders,
    now: () => new Date(),
    box,
    mark,
    authorities: authoritiesFor(config.data, environment),
  })
  const baseRuns = new BaseRuns(path.join(config.data, 'gates'))
  const upstreams = upstreamsFrom(environment)
  const access = { upstreams, subscriptions: config.subscriptions, environment, home: homedir() }
  return {
    agents: agents.map((agent) => withAccess(agent, access)),
    box,
    ownBox: box,
    images,
    trash,
    upstreams,
    signInOf: (executor) => signInFor(executor, access),
    prices: ownPrices(environment.MODEL_PRICES),
    registries: [...usualRegistries, ...config.registries],
    toolchains: config.toolchains,
    baseRuns,
    storeOf: async ({ repository, run }) => (await stores.open(repository.address)).forRun(run),
    data: config.data,
    modelFor: (executor) => config.models[executor] ?? null,
    identity,
    version,
    tidy: async () => {
      await tidyUp(config, stores, baseRuns, trash)
      await images?.tidy()
    },
  }
}

interface Around {
  environment: NodeJS.ProcessEnv
  box: Box
  trash: Trash
  mark: Record<string, string>
}

/** Null where no image can be put into a box: that takes podman, and a box of bubblewrap's. */
async function openImages(
  { data, imageRegistries, quotaBytes }: Pick<Config, 'data' | 'imageRegistries' | 'quotaBytes'>,
  { environment, box, trash, mark }: Around,
): Promise<Images | null> {
  const searchPath = environment.PATH ?? ''
  if (box.isolation.backend !== 'bubblewrap' || !findProgram('podman', searchPath)) return null
  const folder = path.join(data, 'images')
  const podman = new Podman({ folder, owner: box.owner, environment, mark })
  if ((await podman.version()) === null) return null
  const brought = resolvePrograms({
    node: process.execPath,
    nice: findProgram('nice', searchPath),
    prlimit: findProgram('prlimit', searchPath),
  })
  if (!brought.command('node')) return null
  return new Images({
    ...{ folder, podman, box, brought, trash, quotaBytes, now: () => new Date() },
    registries: [...usualImageRegistries, ...imageRegistries],
  })
}

/** Every path that boxes are shown for the operator's sake, looked at once, before anything is registered. */
export function refuseExposed(
  { data, toolchains }: Pick<Config, 'data' | 'toolchains'>,
  agents: readonly Pick<Agent, 'name' | 'readable'>[],
  node = path.dirname(process.execPath),
): void {
  const of = privateHere(data)
  const shown = [
    ...toolchains.map((file) => ({
      ...{ file, what: `--toolchains ${file}`, remedy: 'Name a folder that only contains the programs.' },
    })),
    ...agents.flatMap(({ name, readable }) =>
      readable.map((file) => ({
        ...{ file, what: `The agent ${name} is installed in ${file}, which` },
        remedy: 'Install it in its own folder.',
      })),
    ),
    {
      ...{ file: node, what: `Node is installed in ${node}, which` },
      remedy: 'Install it in its own folder.',
    },
  ]
  const faults = shown.flatMap(({ file, what, remedy }) => {
    const why = exposureOf(file, of)
    return why ? [`${what} ${why}: every agent could read it. ${remedy}`] : []
  })
  if (faults.length > 0) throw new ExitError(faults.join('\n'), exitCodes.usage)
}

/** Where git reaches the repository through the server, it believes the certificate that this process believes. */
function authoritiesFor(data: string, { NODE_EXTRA_CA_CERTS: extra }: NodeJS.ProcessEnv): string | null {
  if (!extra) return null
  const file = path.join(data, 'authorities.pem')
  writeAtomically(file, getCACertificates('default').join('\n'))
  return file
}

function withAccess(agent: Agent, options: AccessOptions): Agent {
  const access = accessOf(agent.executor.name, options)
  return access ? { ...agent, executor: { ...agent.executor, access } } : agent
}

/** What this machine registers as. */
export const registrationOf = ({ agents, box, images }: Pick<Workshop, 'agents' | 'box' | 'images'>) => ({
  executors: agents.map(({ executor }) => executor),
  isolation: box.isolation,
  features: images ? [imageFeature] : [],
})

const hour = 3_600_000

/** What is old goes, and what is over the quota. */
async function tidyUp(
  { data, quotaBytes }: Pick<Config, 'data' | 'quotaBytes'>,
  stores: Stores,
  baseRuns: BaseRuns,
  trash: Trash,
): Promise<void> {
  const now = new Date()
  for (const folder of ['homes', 'parked'])
    await forgetOld(path.join(data, folder), now.getTime() - 14 * 24 * hour, trash)
  await collectGarbage(stores, { quotaBytes, idleMs: 72 * hour, keepMs: 7 * 24 * hour, now })
  await baseRuns.forget(new Date(now.getTime() - 30 * 24 * hour))
}

/** Of runs that were not worked on since. */
async function forgetOld(folder: string, before: number, trash: Trash): Promise<void> {
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const file = path.join(folder, name)
    const used = await lstat(file).catch(() => null)
    if (used && used.mtimeMs < before) await trash.put(file)
  }
}

/** The operator's own price table: a file with providers as genai-prices writes them. */
function ownPrices(file: string | undefined): Provider[] {
  if (!file) return []
  try {
    const prices = JSON.parse(readFileSync(file, 'utf8'))
    if (Array.isArray(prices)) return prices
  } catch {
    // Said below.
  }
  throw new ExitError(
    `MODEL_PRICES names ${file}, which is not a price table. It is a JSON array of providers, each with id and models; the manual has an example.`,
  )
}
