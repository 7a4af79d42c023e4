import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { AuditEntry, ExportProof } from '@signalbox/contract/audit.ts'
import { CheckpointLog, notesIn } from '../app/checkpoint-log.ts'
import { readConfig } from '../app/config.ts'
import { openStorage } from '../app/storage.ts'
import { parseCsv } from '../domain/audit/csv.ts'
import { DomainError } from '../domain/errors.ts'
import { verifyExport } from '../domain/seals/verify-export.ts'
import { verifyLog } from '../domain/seals/verify-log.ts'
import { findWorkspace } from '../domain/workspaces/find-workspace.ts'
import { createLog } from '../infra/log.ts'
import { readVerifierKey } from '../infra/signed-note.ts'

/**
 * Proves the log in the database, or, with --file, an exported file without any database. Exit code 0: everything is
 * as it was sealed. 1: what is not, one sentence a line.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      workspace: { type: 'string' },
      checkpoint: { type: 'string', multiple: true },
      file: { type: 'string' },
      proof: { type: 'string' },
      key: { type: 'string' },
    },
  })
  const findings = values.file
    ? await checkFile(values.file, values.proof, values.key)
    : await checkLog(values.workspace, values.checkpoint ?? [])
  for (const finding of findings) process.stdout.write(`${finding}\n`)
  if (findings.length > 0) process.exitCode = 1
}

async function checkFile(
  file: string,
  proofFile: string | undefined,
  key: string | undefined,
): Promise<string[]> {
  if (!proofFile) {
    throw new DomainError(
      'invalid_request',
      '--proof is missing: download it from the address in the Link header of the export.',
    )
  }
  const text = await readFile(file, 'utf8')
  const entries: AuditEntry[] = text.trimStart().startsWith('[') ? JSON.parse(text) : parseCsv(text)
  const proof: ExportProof = JSON.parse(await readFile(proofFile, 'utf8'))
  const findings = verifyExport(entries, proof, key ? readVerifierKey(key).publicKey : null)
  if (findings.length === 0) {
    process.stdout.write(`Verified: ${entries.length} entries, as sealed.\n${scopeOf(proof)}\n`)
    if (!key)
      process.stdout.write(
        `Signed with ${proof.key}\nThat key came with the proof: compare it with one you know, or pass yours with --key.\n`,
      )
  }
  return findings
}

/** A file is complete only as far as was asked for, so what was asked for is shown with the verdict. */
function scopeOf({ exportId, record }: ExportProof): string {
  const { filters, truncated } = record.entry.details
  const cut = truncated ? ' More entries matched than were exported.' : ''
  return `Complete as export ${exportId} of ${record.entry.timestamp}, filters ${JSON.stringify(filters)}.${cut}`
}

async function checkLog(slug: string | undefined, checkpointFiles: string[]): Promise<string[]> {
  const config = readConfig(process.env)
  const storage = await openStorage(config, createLog({ level: 'warn' }), 'command')
  try {
    const { publicKey } = storage.secrets.signing
    const workspace = slug === undefined ? undefined : await findWorkspace(storage.db, slug)
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
      process.stdout.write(
        `Workspace ${workspaceId}: ${entries} entries, ${checkpoints} checkpoints: ${verdict}.\n`,
      )
    }
    return report.workspaces.flatMap((one) => one.findings)
  } finally {
    await storage.close()
  }
}
