import type { System, SystemCheck } from '@signalbox/contract/app/system.ts'
import type { Asked } from '@signalbox/contract/command-line.ts'
import { readConfig } from '../app/config.ts'
import { type Inspected, inspectStorage, isOwnKey } from '../app/storage.ts'
import { looking, vitalsOf } from '../app/system.ts'
import { version } from '../app/version.ts'
import { checkSystem, worstOf } from '../domain/installation/system/check-system.ts'
import { systemClock } from '../infra/clock.ts'
import { createLog } from '../infra/log.ts'
import type { doctorLine } from './command-lines.ts'
import { explainFailure } from './or-explain.ts'
import { print, printJson } from './print.ts'

const exitCodes: Record<SystemCheck['state'], number> = { ok: 0, failed: 1, warning: 3 }
const marks: Record<SystemCheck['state'], string> = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' }

/** Says how the installation is doing. A database that cannot be looked at is a finding like any other. */
export async function run({ values }: Asked<typeof doctorLine>): Promise<void> {
  const { exitCode, ...found } = await examine(readConfig(process.env))
  if (values.json) printJson(found)
  else show(found)
  process.exitCode = exitCode
}

export async function examine(config: ReturnType<typeof readConfig>) {
  const found = await look(config).catch(unreachable)
  const state = worstOf(found.checks)
  return { state, ...found, exitCode: exitCodes[state] }
}

type Found = Pick<System, 'version' | 'checks'> & Partial<System>

async function look(config: ReturnType<typeof readConfig>): Promise<System> {
  const storage = await inspectStorage(config, createLog({ level: 'silent' }))
  try {
    const system = checkSystem(await vitalsOf({ config, clock: systemClock, storage })(), await looking())
    return { ...system, checks: [await secretKey(storage), ...system.checks].sort(failedFirst) }
  } finally {
    await storage.close()
  }
}

const failedFirst = (one: SystemCheck, other: SystemCheck) =>
  ['failed', 'warning', 'ok'].indexOf(one.state) - ['failed', 'warning', 'ok'].indexOf(other.state)

async function secretKey(storage: Inspected): Promise<SystemCheck> {
  const about = { name: 'secret_key', title: 'Secret key' }
  const isOwn = await isOwnKey(storage)
  if (isOwn !== false) return { ...about, state: 'ok', says: 'It is the key of this database.', remedy: null }
  return {
    ...{ ...about, state: 'failed' },
    says:
      storage.keys.length > 0
        ? 'This database was set up with another SECRET_KEY, or it is being rotated and SECRET_KEY_PREVIOUS is missing.'
        : 'SECRET_KEY is not set, and there is no secret.key in the data folder.',
    remedy:
      'Set SECRET_KEY to the key of the first node, or copy secret.key from its data folder. Run doctor with the settings of the server.',
  }
}

function unreachable(error: unknown): Found {
  const about = { name: 'database', title: 'Database', state: 'failed' } as const
  if ((error as { code?: string }).code === '42P01')
    return {
      version,
      checks: [
        {
          ...about,
          says: 'The database lacks tables that this version needs.',
          remedy: 'Start this version of Signalbox, or run the migrate command. Both migrate the database.',
        },
      ],
    }
  // A server that is stopped or refuses us each has a remedy of its own, and what has none says in itself what to do.
  const { says, remedy } = explainFailure(error)
  const usual = 'Run doctor with the settings of the server.'
  return {
    version,
    checks: [
      {
        ...about,
        says: `The database cannot be checked: ${says}`,
        remedy: remedy === null ? usual : `${remedy} ${usual}`,
      },
    ],
  }
}

function show({ checks, nodes = [], database }: Found): void {
  for (const { state, title, says, remedy } of checks) {
    print(`${marks[state]}  ${title}: ${says}`)
    if (remedy) print(`         → ${remedy}`)
  }
  if (database) {
    print('')
    print(
      `Database: PostgreSQL ${database.version}, ${(database.bytes / 1e9).toFixed(2)} GB, migration ${database.migration}, role ${database.role}`,
    )
  }
  for (const { host, version, migration, isServing, startedAt } of nodes)
    print(
      `Node: ${host ?? 'unknown'}, version ${version ?? 'unknown'}, migration ${migration ?? 'unknown'}, ${isServing ? 'serving' : 'not serving'}, started ${startedAt}`,
    )
}
