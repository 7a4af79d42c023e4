import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startCluster } from '../server/infra/db/embedded.ts'
import { migrate } from '../server/infra/db/migrate.ts'
import { generatedFiles } from './generated.ts'
import { factsFile, renderFacts } from './migration-facts.ts'

/** Writes every file that is made from another one. server/test/rules/generated.test.ts fails while one is out of date. */

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-generate-'))
const cluster = await startCluster(folder, { log: () => {}, settings: { fsync: 'off' } })
try {
  const facts = await renderFacts(cluster.connection)
  await migrate(cluster.connection)
  const files = { ...(await generatedFiles(cluster.connection)), [factsFile]: facts }
  for (const [file, text] of Object.entries(files)) await writeFile(file, text)
} finally {
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
}
