import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { AuditEntry, ExportProof } from '@signalbox/contract/audit.ts'
import { CheckpointLog, notesIn } from '../app/checkpoint-log.ts'
import { readConfig } from '../app/config.ts'
import { openStorage } from '../app/storage.ts'
import { parseCsv } from '../domain/audit/csv.ts'
import { verifierKeys } from '../domain/seals/verifier-keys.ts'
import { verifyExport } from '../domain/seals/verify-export.ts'
import { verifyLog } from '../domain/seals/verify-log.ts'
import { findWorkspace } from '../domain/workspaces/find-workspace.ts'
import { createLog } from '../infra/log.ts'
import { print } from './print.ts'
import { howToTrust, otherWorkspace, type TrustedKey, trustedKey, unknownSigner } from './trusted-key.ts'
import { UsageError, understood } from './usage-error.ts'

/**
 * Proves the log in the database, or, with --file, an exported file without any database. Exit code 0: everything is
 * as it was sealed. 1: what is not, one sentence a line. 2: the arguments are wrong. 3: a file is as it was sealed, but
 * nobody has said whose seal that is. With --print-key it only says the keys with which files are checked elsewhere.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = understood(() =>
    parseArgs({
      args,
      options: {
        workspace: { type: 'string' },
        checkpoint: { type: 'string', multiple: true },
        file: { type: 'string' },
        proof: { type: 'string' },
        key: { type: 'string' },
        'print-key': { type: 'boolean' },
      },
    }),
  )
  if (values['print-key']) return printKeys(values.workspace)
  const findings = values.file
    ? await checkFile(values.file, values.proof, trustedKey(values.key))
    : await checkLog(values.workspace, values.checkpoint ?? [])
  for (const finding of findings) print(finding)
  if (findings.length > 0) process.exitCode = 1
}

async function checkFile(
  file: string,
  proofFile: string | undefined,
  key: TrustedKey | null,
): Promise<string[]> {
  if (!proofFile)
    throw new UsageError('--proof is missing: download it from the address in the Link header of the export.')
  const text = await readFile(file, 'utf8')
  const entries: AuditEntry[] = text.trimStart().startsWith('[') ? JSON.parse(text) : parseCsv(text)
  const proof: ExportProof = JSON.parse(await readFile(proofFile, 'utf8'))
  const findings = [
    ...verifyExport(entries, proof, key?.publicKey ?? null),
    ...otherWorkspace(key, proof.workspace),
  ]
  if (findings.length > 0) return findings
  const verdict = key ? 'Verified' : 'Signature valid, signer unknown'
  print(`${verdict}: ${entries.length} entries, as sealed.`)
  print(scopeOf(proof))
  if (!key) {
    const again = `verify-audit --file ${file} --proof ${proofFile} --key KEY`
    for (const line of howToTrust(proof.key, again)) print(line)
    process.exitCode = unknownSigner
  }
  return []
}

/** A file is complete only as far as was asked for, so what was asked for is shown with the verdict. */
function scopeOf({ exportId, record }: ExportProof): string {
  const { filters, truncated } = record.entry.details
  const cut = truncated ? ' More entries matched than were exported.' : ''
  return `Complete as export ${exportId} of ${record.entry.timestamp}, filters ${JSON.stringify(filters)}.${cut}`
}

/** What a verdict of this machine is worth elsewhere: whoever checks a file there trusts one of these. */
async function printKeys(slug: string | undefined): Promise<void> {
  await withStorage(slug, async ({ storage: { db, secrets }, workspace }) => {
    for (const key of await verifierKeys(db, secrets.signing.publicKey, workspace?.id)) print(key)
  })
}

async function withStorage<T>(slug: string | undefined, work: (opened: Opened) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const storage = await openStorage(config, createLog({ level: 'warn' }), 'command')
  try {
    return await work({
      config,
      storage,
      workspace: slug === undefined ? undefined : await findWorkspace(storage.db, slug),
    })
  } finally {
    await storage.close()
  }
}

interface Opened {
  config: ReturnType<typeof readConfig>
  storage: Awaited<ReturnType<typeof openStorage>>
  workspace: { id: string } | undefined
}

async function checkLog(slug: string | undefined, checkpointFiles: string[]): Promise<string[]> {
  return withStorage(slug, async ({ config, storage, workspace }) => {
    const { publicKey } = storage.secrets.signing
    const given = await Promise.all(
      checkpointFiles.map(async (name) => notesIn(await readFile(name, 'utf8'))),
    )
    const report = await verifyLog(storage.db, publicKey, {
      now: new Date(),
      knownCheckpoints: [...(await new CheckpointLog(config.dataDir).read()), ...given.flat()],
      ...(workspace ? { workspaceId: workspace.id } : {}),
    })
    for (const { workspaceId, entries, checkpoints, findings } of report.workspaces) {
      const verdict = findings.length === 0 ? 'verified' : `${findings.length} findings`
      print(`Workspace ${workspaceId}: ${entries} entries, ${checkpoints} checkpoints: ${verdict}.`)
    }
    return report.workspaces.flatMap((one) => one.findings)
  })
}
