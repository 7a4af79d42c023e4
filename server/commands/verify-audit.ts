import { existsSync } from 'node:fs'
import type { AuditEntry, ExportProof } from '@signalbox/contract/audit.ts'
import type { Asked } from '@signalbox/contract/command-line.ts'
import { checkArchive, linesOfMonth } from '../app/audit-months.ts'
import { CheckpointLog, notesIn } from '../app/checkpoint-log.ts'
import { readConfig } from '../app/config.ts'
import { openStorage, requireDatabase } from '../app/storage.ts'
import { findWorkspace } from '../domain/accounts/workspaces/find-workspace.ts'
import { parseCsv } from '../domain/record/audit/csv.ts'
import { verifyMonth } from '../domain/record/months/verify-month.ts'
import { verifierKeys } from '../domain/record/seals/verifier-keys.ts'
import { verifyExport } from '../domain/record/seals/verify-export.ts'
import { type LogReport, verifyLog } from '../domain/record/seals/verify-log.ts'
import { createLog } from '../infra/log.ts'
import type { verifyAuditLine } from './command-lines.ts'
import { isMonthFile } from './is-month-file.ts'
import { print, printJson } from './print.ts'
import { readNamed } from './read-named.ts'
import { howToTrust, otherWorkspace, type TrustedKey, trustedKey, unknownSigner } from './trusted-key.ts'
import { UsageError } from './usage-error.ts'
import { printVerdict, type Verdict } from './verdict.ts'

/**
 * Proves the log in the database, or, with --file, an exported file or an archived month without any database. Exit code 0: everything is
 * as it was sealed. 1: what is not, one sentence a line. 2: the arguments are wrong. 3: a file is as it was sealed, but
 * no one has said whose seal that is. With --print-key it only says the keys with which files are checked elsewhere.
 */
export async function run({ values }: Asked<typeof verifyAuditLine>): Promise<void> {
  if (values['print-key']) return printKeys(values.workspace, values.json)
  const verdict = values.file
    ? isMonthFile(values.file)
      ? await checkMonth(values.file, trustedKey(values.key))
      : await checkFile(values.file, values.proof!, trustedKey(values.key))
    : await checkLog(values.workspace, values.checkpoint ?? [], values.archive)
  printVerdict(verdict, values.json)
}

async function checkFile(file: string, proofFile: string, key: TrustedKey | null): Promise<Verdict> {
  const text = (await readNamed(file)).toString()
  const entries: AuditEntry[] = text.trimStart().startsWith('[') ? parsed(file, text) : parseCsv(text)
  const proof: ExportProof = parsed(proofFile, (await readNamed(proofFile)).toString())
  const findings = [
    ...verifyExport(entries, proof, key?.publicKey ?? null),
    ...otherWorkspace(key, proof.workspace),
  ]
  const facts = { entries: entries.length, export: proof.exportId }
  if (findings.length > 0) return { exitCode: 1, lines: findings, findings, facts }
  const again = `verify-audit --file ${file} --proof ${proofFile} --key KEY`
  return {
    exitCode: key ? 0 : unknownSigner,
    lines: [
      `${key ? 'Verified' : 'Signature valid, signer unknown'}: ${entries.length} entries, as sealed.`,
      scopeOf(proof),
      ...(key ? [] : howToTrust(proof.key, again)),
    ],
    findings,
    facts,
  }
}

async function checkMonth(file: string, key: TrustedKey | null): Promise<Verdict> {
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`)
  const checked = await verifyMonth(linesOfMonth(file), key?.publicKey ?? null)
  const { head } = checked
  const findings = [...checked.findings, ...(head ? otherWorkspace(key, head.workspace) : [])]
  const facts = { entries: head?.entries ?? 0, month: head?.month ?? null }
  if (!head || findings.length > 0) return { exitCode: 1, lines: findings, findings, facts }
  return {
    exitCode: key ? 0 : unknownSigner,
    lines: [
      `${key ? 'Verified' : 'Signature valid, signer unknown'}: ${head.entries} entries, as sealed.`,
      `Complete as ${head.month} of workspace ${head.slug}.`,
      ...(key ? [] : howToTrust(head.key, `verify-audit --file ${file} --key KEY`)),
    ],
    findings,
    facts,
  }
}

function parsed<T>(file: string, text: string): T {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${file} does not hold JSON. Name the file as it was downloaded.`)
  }
}

/** A file is complete only as far as was asked for, so what was asked for is shown with the verdict. */
function scopeOf({ exportId, record }: ExportProof): string {
  const { filters, truncated } = record.entry.details
  const cut = truncated ? ' More entries matched than were exported.' : ''
  return `Complete as export ${exportId} of ${record.entry.timestamp}, filters ${JSON.stringify(filters)}.${cut}`
}

/** The keys that a check on another machine has to trust. */
async function printKeys(slug: string | undefined, json: boolean | undefined): Promise<void> {
  await withStorage(slug, async ({ storage: { db, secrets }, workspace }) => {
    const keys = await verifierKeys(db, secrets.signing.publicKey, workspace?.id)
    if (json) printJson({ keys })
    else for (const key of keys) print(key)
  })
}

async function withStorage<T>(slug: string | undefined, work: (opened: Opened) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  // A new one would hold nothing, and all of that would be verified.
  requireDatabase(config)
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

async function checkLog(
  slug: string | undefined,
  checkpointFiles: string[],
  archive: string | undefined,
): Promise<Verdict> {
  // Before the database is opened.
  const given = await Promise.all(
    checkpointFiles.map(async (name) => notesIn((await readNamed(name)).toString())),
  )
  return withStorage(slug, async ({ config, storage, workspace }) => {
    const { publicKey } = storage.secrets.signing
    const report = await verifyLog(storage.db, publicKey, {
      now: new Date(),
      authorities: config.anchors.timestampRoots,
      knownCheckpoints: [...(await new CheckpointLog(config.dataDir).read()), ...given.flat()],
      ...(workspace ? { workspaceId: workspace.id } : {}),
    })
    const findings = report.workspaces.flatMap((one) => one.findings)
    if (report.workspaces.length === 0) findings.push(nothingThere)
    const files = report.workspaces.flatMap((one) => one.files)
    if (archive !== undefined) findings.push(...(await checkArchive(archive, files)))
    return {
      exitCode: findings.length === 0 ? 0 : 1,
      lines: [...report.workspaces.flatMap((one) => [toldOf(one), ...one.notes]), ...findings],
      findings,
      facts: {
        workspaces: report.workspaces.map(({ workspaceId, entries, checkpoints, findings, notes }) => ({
          ...{ workspaceId, entries, checkpoints, findings: findings.length, notes },
        })),
      },
    }
  })
}

const nothingThere =
  'This database has no workspace, so nothing was verified. Set DATA_DIR or DATABASE_URL as the server has it.'

function toldOf({ workspaceId, entries, checkpoints, findings }: LogReport['workspaces'][number]): string {
  const verdict = findings.length === 0 ? 'verified' : `${findings.length} findings`
  return `Workspace ${workspaceId}: ${entries} entries, ${checkpoints} checkpoints: ${verdict}.`
}
