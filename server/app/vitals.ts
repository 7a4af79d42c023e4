import { statfs } from 'node:fs/promises'
import {
  type Disk,
  readDatabaseBytes,
  readVitals,
  type Vitals,
} from '../domain/operations/system/read-vitals.ts'
import { noBackups } from '../domain/ports/backups.ts'
import { addInstallationMetrics } from '../faces/operator/installation-metrics.ts'
import { cachedFor } from '../infra/cached-for.ts'
import type { Base } from './parts.ts'

/** However often it is scraped and looked at, it is read once in this time. */
const cachedMs = 5_000
const sizeCachedMs = 60_000

type Watched = Pick<Base, 'config' | 'clock' | 'storage'>

/** What an operator watches, for metrics, the page and the command. */
export function vitalsOf({ config, clock, storage: { db } }: Watched): () => Promise<Vitals> {
  const databaseBytes = cachedFor(sizeCachedMs, () => readDatabaseBytes({ db }))
  const sources = { db, clock, databaseBytes, backups: noBackups, disk: () => diskOf(config.dataDir) }
  return cachedFor(cachedMs, () => readVitals(sources))
}

/** The same, and on the page of metrics. Of several workers one is enough: each would say the same. */
export function watchVitals(base: Base, leads: boolean): () => Promise<Vitals> {
  const vitals = vitalsOf(base)
  if (leads) addInstallationMetrics(base.metrics.registry, vitals)
  return vitals
}

async function diskOf(folder: string): Promise<Disk | null> {
  try {
    const { bsize, bavail, blocks } = await statfs(folder)
    return { freeBytes: bsize * bavail, sizeBytes: bsize * blocks }
  } catch {
    return null
  }
}
