import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry, ExportProof } from '@signalbox/contract/audit.ts'
import fc from 'fast-check'
import { newId } from '../../../infra/ids.ts'
import { rangesBeside, rootOfRow } from '../../../infra/merkle.ts'
import { secretsFrom } from '../../../infra/secrets.ts'
import { verifierKey } from '../../../infra/signed-note.ts'
import { exportDigest } from '../audit/export-digest.ts'
import { entryHash } from './canonical.ts'
import { openCheckpoint, originOf, signCheckpoint } from './checkpoint.ts'
import { verifyExport } from './verify-export.ts'

const { signing } = secretsFrom('a secret for tests')
const other = secretsFrom('another secret').signing
const start = new Date('2026-09-01T10:00:00Z')
const workspaceId = newId(start)
const log = Array.from({ length: 300 }, (_, index) => anEntry(index))

function anEntry(index: number): AuditEntry {
  const at = new Date(start.getTime() + index)
  return {
    id: newId(at),
    timestamp: at.toISOString(),
    actor: { type: 'service', name: 'Signalbox', userId: null },
    team: 'payments',
    runKey: null,
    event: 'signal_received',
    result: 'success',
    entity: { type: 'alert', id: `alert-${index}`, name: null },
    details: { note: `number ${index}` },
  }
}

interface Exported {
  file: AuditEntry[]
  bundle: ExportProof
  /** Everything that is sealed: the first `size` entries of the log, and among them the record of the export. */
  sealed: AuditEntry[]
}

/** A file with the newest first, as an export has it, and its proof. Without a place, the record is sealed last. */
function anExport(size: number, chosen: number[], recordAt = size): Exported {
  const exportId = newId(start)
  const file = chosen.toSorted((a, b) => b - a).map((index) => log[index]!)
  const sealed = log.slice(0, size).toSpliced(recordAt, 0, aRecord(exportId, file))
  return { file, bundle: aProof(exportId, sealed, file, sealed[recordAt]!), sealed }
}

function aRecord(exportId: string, file: AuditEntry[]): AuditEntry {
  return {
    ...anEntry(file.length),
    event: 'audit_exported',
    entity: { type: 'audit_export', id: exportId, name: null },
    details: { count: file.length, digest: exportDigest(file.map((entry) => entry.id)) },
  }
}

/** What the server would hand out; also for a file and a record that do not belong together, as a forger would do it. */
function aProof(exportId: string, sealed: AuditEntry[], file: AuditEntry[], record: AuditEntry): ExportProof {
  const hashes = sealed.map(entryHash)
  const positionById = new Map(sealed.map(({ id }, position) => [id, position]))
  const positionOf = ({ id }: AuditEntry) => positionById.get(id)!
  const positions = [...file, record].map(positionOf).sort((a, b) => a - b)
  const checkpoint = { workspaceId, size: sealed.length, root: rootOfRow(hashes) }
  return {
    workspace: workspaceId,
    exportId,
    checkpoint: signCheckpoint(checkpoint, signing.privateKey),
    key: verifierKey(originOf(workspaceId), signing.publicKey),
    entries: file.map((entry) => ({
      id: entry.id,
      position: positionOf(entry),
      hash: entryHash(entry).toString('base64'),
    })),
    record: { position: positionOf(record), entry: record },
    nodes: rangesBeside(sealed.length, positions).map(({ from, to }) => ({
      from,
      to,
      hash: rootOfRow(hashes.slice(from, to)).toString('base64'),
    })),
  }
}

/** How much of the log is sealed, which of it is exported, and the position of the export's record. */
const aChoiceOf = (fewest: number) =>
  fc
    .integer({ min: Math.max(fewest, 1), max: log.length })
    .chain((size) =>
      fc.tuple(
        fc.constant(size),
        fc.uniqueArray(fc.nat({ max: size - 1 }), { minLength: fewest, maxLength: 20 }),
        fc.nat({ max: size }),
      ),
    )
const aChoice = aChoiceOf(1)

const unproven = 'The hashes of the proof do not lead to the signed root, so it proves none of the entries.'
const others = 'The proof lists other entries than the export recorded, or lists them in another order.'

test('any selection of entries verifies, with the key in hand and with the key of the proof', () => {
  fc.assert(
    fc.property(aChoiceOf(0), ([size, chosen, recordAt]) => {
      const { file, bundle } = anExport(size, chosen, recordAt)
      const printed = JSON.parse(JSON.stringify({ file, bundle }, null, 2))
      assert.deepEqual(verifyExport(printed.file, printed.bundle, signing.publicKey), [])
      assert.deepEqual(verifyExport(printed.file, printed.bundle, null), [])
    }),
  )
})

test('one changed entry is named, whichever it is', () => {
  fc.assert(
    fc.property(aChoice, fc.nat(), ([size, chosen, recordAt], choice) => {
      const { file, bundle } = anExport(size, chosen, recordAt)
      const at = choice % file.length
      const forged = file.with(at, { ...file[at]!, result: 'denied' })
      assert.deepEqual(verifyExport(forged, bundle, signing.publicKey), [
        `Entry ${file[at]!.id} was changed: it is not what was sealed.`,
      ])
    }),
  )
})

test('one changed hash breaks the proof, also when the entry is changed along with it', () => {
  fc.assert(
    fc.property(aChoice, fc.nat(), ([size, chosen, recordAt], choice) => {
      const { file, bundle } = anExport(size, chosen, recordAt)
      const at = choice % (bundle.entries.length + bundle.nodes.length)
      const forged = structuredClone(bundle)
      const entry = forged.entries[at]
      const changed = file.map((one, index) => (index === at ? { ...one, result: 'denied' as const } : one))
      if (entry) entry.hash = entryHash(changed[at]).toString('base64')
      else forged.nodes[at - bundle.entries.length]!.hash = entryHash('another').toString('base64')
      assert.deepEqual(verifyExport(changed, forged, signing.publicKey), [unproven])
    }),
  )
})

test('an entry that is missing, added or doubled is named', () => {
  const { file, bundle } = anExport(300, [3, 77, 120])
  assert.deepEqual(verifyExport(file.toSpliced(1, 1), bundle, signing.publicKey), [
    `Entry ${log[77]!.id} is missing from the file.`,
  ])
  assert.deepEqual(verifyExport([...file, log[2]!], bundle, signing.publicKey), [
    `Entry ${log[2]!.id} is in the file but not in the proof: it was added.`,
  ])
  assert.deepEqual(verifyExport([...file, file[2]!], bundle, signing.publicKey), [
    `Entry ${log[3]!.id} is in the file more than once.`,
  ])
})

test('two entries out of order are both named', () => {
  const { file, bundle } = anExport(300, [3, 77, 120])
  assert.deepEqual(verifyExport([file[0]!, file[2]!, file[1]!], bundle, signing.publicKey), [
    `Entries ${log[3]!.id} and ${log[77]!.id} are out of order: in the export, the second came before the first.`,
  ])
})

test('an entry given the position of another does not verify', () => {
  const { file, bundle } = anExport(300, [3, 77, 120])
  bundle.entries[0]!.position = 121
  assert.deepEqual(verifyExport(file, bundle, signing.publicKey), [unproven])
})

test('entries left out of file and proof alike are missed, wherever their hashes were put', () => {
  fc.assert(
    fc.property(aChoice, fc.nat(), fc.integer({ min: 1 }), ([size, chosen, recordAt], first, many) => {
      const { file, bundle, sealed } = anExport(size, chosen, recordAt)
      const from = first % file.length
      const gone = bundle.entries.slice(from, from + 1 + (many % file.length))
      const stays = ({ id }: { id: string }) => !gone.some((entry) => entry.id === id)
      const shorter = file.filter(stays)
      const leaves = gone.map(({ position, hash }) => ({ from: position, to: position + 1, hash }))
      const asNodes = {
        ...bundle,
        entries: bundle.entries.filter(stays),
        nodes: [...bundle.nodes, ...leaves],
      }
      const asSubtrees = aProof(bundle.exportId, sealed, shorter, bundle.record.entry)
      // The one finding is about the number: the forged hashes do lead to the signed root.
      const found = [
        `The proof lists ${shorter.length} entries but the export recorded ${file.length}: entries were left out.`,
      ]
      assert.deepEqual(verifyExport(shorter, asNodes, signing.publicKey), found)
      assert.deepEqual(verifyExport(shorter, asSubtrees, signing.publicKey), found)
    }),
  )
})

test('an entry of the log that was not exported, added to file and proof alike, is noticed', () => {
  const { file, bundle, sealed } = anExport(300, [3, 77, 120])
  const longer = [log[200]!, ...file]
  assert.deepEqual(verifyExport(longer, forged(longer), signing.publicKey), [
    'The proof lists 4 entries but the export recorded 3: entries were added.',
  ])
  const exchanged = file.with(1, log[76]!)
  assert.deepEqual(verifyExport(exchanged, forged(exchanged), signing.publicKey), [others])

  function forged(forgery: AuditEntry[]): ExportProof {
    return aProof(bundle.exportId, sealed, forgery, bundle.record.entry)
  }
})

test('file and proof put into another order alike do not verify', () => {
  fc.assert(
    fc.property(aChoiceOf(2), fc.nat(), ([size, chosen, recordAt], choice) => {
      const { file, bundle } = anExport(size, chosen, recordAt)
      const at = choice % (file.length - 1)
      const swapped = <T>(row: T[]) => row.with(at, row[at + 1]!).with(at + 1, row[at]!)
      const forged = { ...bundle, entries: swapped(bundle.entries) }
      assert.deepEqual(verifyExport(swapped(file), forged, signing.publicKey), [others])
    }),
  )
})

test('a record changed to fit a shorter file does not lead to the signed root', () => {
  fc.assert(
    fc.property(aChoice, fc.nat(), ([size, chosen, recordAt], choice) => {
      const { file, bundle, sealed } = anExport(size, chosen, recordAt)
      const shorter = file.toSpliced(choice % file.length, 1)
      const forged = aProof(bundle.exportId, sealed, shorter, bundle.record.entry)
      forged.record.entry = { ...bundle.record.entry, details: aRecord(bundle.exportId, shorter).details }
      assert.deepEqual(verifyExport(shorter, forged, signing.publicKey), [unproven])
    }),
  )
})

test('the record of another export, or no record of an export, does not stand in', () => {
  const { bundle, file, sealed } = anExport(300, [3, 77, 120])
  const shorter = file.slice(1)
  const [elsewhere, { exportId }] = [newId(start), bundle]
  // Each of these fits the shorter file in every respect but one.
  const fitting = aRecord(exportId, shorter)
  const standIns: AuditEntry[] = [
    aRecord(elsewhere, shorter),
    { ...fitting, event: 'story_written' },
    { ...fitting, entity: { ...fitting.entity, type: 'draft' } },
  ]
  for (const standIn of standIns) {
    const forged = aProof(exportId, [...sealed, standIn], shorter, standIn)
    assert.deepEqual(verifyExport(shorter, forged, signing.publicKey), [
      `The record in the proof is not that of export ${exportId}.`,
    ])
  }
})

test('a proof without its record proves nothing', () => {
  const { file, bundle } = anExport(300, [3, 77, 120])
  const { record, ...rest } = bundle
  const leaf = {
    from: record.position,
    to: record.position + 1,
    hash: entryHash(record.entry).toString('base64'),
  }
  const without = { ...rest, nodes: [...rest.nodes, leaf] } as unknown as ExportProof
  assert.deepEqual(verifyExport(file, without, signing.publicKey), [
    'The proof is without the record of the export, so nothing shows that the file is complete.',
  ])
  assert.equal(verifyExport([], { ...without, entries: [] }, signing.publicKey).length, 1)
})

test('a record passed off as one of the entries as well, or put elsewhere, does not verify', () => {
  const { file, bundle } = anExport(300, [3, 77, 120])
  const { position, entry } = bundle.record
  const listed = { id: entry.id, position, hash: entryHash(entry).toString('base64') }
  const doubled = { ...bundle, entries: [listed, ...bundle.entries] }
  assert.ok(verifyExport([entry, ...file], doubled, signing.publicKey).includes(unproven))
  const moved = { ...bundle, record: { entry, position: position - 1 } }
  assert.deepEqual(verifyExport(file, moved, signing.publicKey), [unproven])
})

test('a proof signed with another key, or for another workspace, proves nothing', () => {
  const { file, bundle } = anExport(300, [3])
  const checkpoint = openCheckpoint(bundle.checkpoint, signing.publicKey)
  const resigned = { ...bundle, checkpoint: signCheckpoint(checkpoint, other.privateKey) }
  assert.deepEqual(verifyExport(file, resigned, signing.publicKey), [
    'The signature of the checkpoint is wrong: The note is not signed with this key.',
  ])
  const elsewhere = newId(start)
  assert.deepEqual(verifyExport(file, { ...bundle, workspace: elsewhere }, signing.publicKey), [
    `The checkpoint is signed for workspace ${workspaceId}, not for ${elsewhere}.`,
  ])
})
