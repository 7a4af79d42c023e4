import { statfs } from 'node:fs/promises'
import type { System } from '@signalbox/contract/app/system.ts'
import { checkSystem, type Looking } from '../domain/installation/system/check-system.ts'
import {
  type Disk,
  readDatabaseBytes,
  readVitals,
  type Vitals,
} from '../domain/installation/system/read-vitals.ts'
import { addInstallationMetrics } from '../faces/operator/installation-metrics.ts'
import { cachedFor } from '../infra/cached-for.ts'
import { newestMigration } from '../infra/db/migrate.ts'
import { anchorTargets } from './anchors.ts'
import type { Base } from './parts.ts'
import { version } from './version.ts'

/** However often it is scraped and looked at, it is read once in this time. */
const cachedMs = 5_000
const sizeCachedMs = 60_000

type Watched = Pick<Base, 'config' | 'clock'> & {
  storage: Pick<Base['storage'], 'db' | 'replica'>
}

/** What an operator watches, for metrics, the page and the command. */
export function vitalsOf({ config, clock, storage: { db, replica } }: Watched): () => Promise<Vitals> {
  const databaseBytes = cachedFor(sizeCachedMs, () => readDatabaseBytes({ db }))
  const streams = config.auditStream !== null
  const auditMonths = config.auditMonths?.keep ?? null
  const anchors = anchorTargets(config)
  const sources = {
    db,
    clock,
    databaseBytes,
    streams,
    auditMonths,
    anchors,
    backupEverySeconds: config.backup.dir === null ? null : config.backup.everyMs / 1_000,
    readReplica: async () => (await replica?.state()) ?? null,
    disk: () => diskOf(config.dataDir),
  }
  return cachedFor(cachedMs, () => readVitals(sources))
}

/** The same in sentences, and on the page of metrics. Of several workers one reports there: each would say the same. */
export function watchSystem(base: Base, leads: boolean): () => Promise<System> {
  const vitals = vitalsOf(base)
  if (leads) addInstallationMetrics(base.metrics.registry, vitals)
  return async () => checkSystem(await vitals(), await looking())
}

/** What this program is. */
export const looking = async (): Promise<Looking> => ({ version, migration: await newestMigration() })

async function diskOf(folder: string): Promise<Disk | null> {
  try {
    const { bsize, bavail, blocks } = await statfs(folder)
    return { freeBytes: bsize * bavail, sizeBytes: bsize * blocks }
  } catch {
    return null
  }
}
