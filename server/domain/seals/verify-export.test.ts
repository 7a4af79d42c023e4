import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry, ExportProof } from '@signalbox/contract/audit.ts'
import fc from 'fast-check'
import { newId } from '../../infra/ids.ts'
import { rangesBeside, rootOfRow } from '../../infra/merkle.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { verifierKey } from '../../infra/signed-note.ts'
import { entryHash } from './canonical.ts'
import { originOf, signCheckpoint } from './checkpoint.ts'
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

/** A file with the newest first, as an export has it, and its proof. */
function anExport(size: number, chosen: number[]): { file: AuditEntry[]; bundle: ExportProof } {
  const hashes = log.slice(0, size).map(entryHash)
  const positions = chosen.toSorted((a, b) => a - b)
  const root = rootOfRow(hashes)
  const bundle = {
    workspace: workspaceId,
    exportId: newId(start),
    checkpoint: signCheckpoint({ workspaceId, size, root }, signing.privateKey),
    key: verifierKey(originOf(workspaceId), signing.publicKey),
    entries: positions
      .toReversed()
      .map((position) => ({ id: log[position]!.id, position, hash: hashes[position]!.toString('base64') })),
    nodes: rangesBeside(size, positions).map(({ from, to }) => ({
      from,
      to,
      hash: rootOfRow(hashes.slice(from, to)).toString('base64'),
    })),
  }
  return { file: positions.toReversed().map((position) => log[position]!), bundle }
}

const aChoice = fc
  .integer({ min: 1, max: log.length })
  .chain((size) =>
    fc.tuple(fc.constant(size), fc.uniqueArray(fc.nat({ max: size - 1 }), { minLength: 1, maxLength: 20 })),
  )

test('any selection of entries verifies, with the key in hand and with the key of the proof', () => {
  fc.assert(
    fc.property(aChoice, ([size, chosen]) => {
      const { file, bundle } = anExport(size, chosen)
      const printed = JSON.parse(JSON.stringify({ file, bundle }, null, 2))
      assert.deepEqual(verifyExport(printed.file, printed.bundle, signing.publicKey), [])
      assert.deepEqual(verifyExport(printed.file, printed.bundle, null), [])
    }),
  )
})

test('one changed entry is named, whichever it is', () => {
  fc.assert(
    fc.property(aChoice, fc.nat(), ([size, chosen], choice) => {
      const { file, bundle } = anExport(size, chosen)
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
    fc.property(aChoice, fc.nat(), ([size, chosen], choice) => {
      const { file, bundle } = anExport(size, chosen)
      const at = choice % (bundle.entries.length + bundle.nodes.length)
      const forged = structuredClone(bundle)
      const entry = forged.entries[at]
      const changed = file.map((one, index) => (index === at ? { ...one, result: 'denied' as const } : one))
      if (entry) entry.hash = entryHash(changed[at]).toString('base64')
      else forged.nodes[at - bundle.entries.length]!.hash = entryHash('another').toString('base64')
      assert.deepEqual(verifyExport(changed, forged, signing.publicKey), [
        'The hashes of the proof do not lead to the signed root, so it proves none of the entries.',
      ])
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
  assert.equal(verifyExport(file, bundle, signing.publicKey).length, 1)
})

test('a proof signed with another key, or for another workspace, proves nothing', () => {
  const { file, bundle } = anExport(300, [3])
  const root = rootOfRow(log.map(entryHash))
  const resigned = {
    ...bundle,
    checkpoint: signCheckpoint({ workspaceId, size: 300, root }, other.privateKey),
  }
  assert.deepEqual(verifyExport(file, resigned, signing.publicKey), [
    'The signature of the checkpoint is wrong: The note is not signed with this key.',
  ])
  const elsewhere = newId(start)
  assert.deepEqual(verifyExport(file, { ...bundle, workspace: elsewhere }, signing.publicKey), [
    `The checkpoint is signed for workspace ${workspaceId}, not for ${elsewhere}.`,
  ])
})
