import { Type } from 'typebox'
import { AuditEntry, AuditExportQuery, AuditFilter, AuditQuery, ExportProof } from '../audit.ts'
import { exportId } from '../keys.ts'
import { pageOf } from '../page.ts'
import { nullable, type Of, timestamp } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'

/** What the newest signed checkpoint stands for, and when someone last held the log against all of them. */
export const Verification = Type.Object({
  checkpoint: nullable(
    Type.Object({
      entries: Type.Integer({ description: 'how many it covers' }),
      root: Type.String({ description: 'hash of all of them, base64' }),
      keyId: Type.String({ description: 'names the key that signed it' }),
      key: Type.String({ description: 'the key, as verifiers read it' }),
      trusted: Type.Boolean({ description: "false when this server's key did not sign it" }),
      sealedAt: timestamp,
    }),
  ),
  /** Null: all entries are here. */
  archivedBefore: nullable(timestamp),
  waiting: Type.Integer({ description: 'entries that the next checkpoint will cover' }),
  lastCheck: nullable(
    Type.Object({ at: timestamp, by: Type.String(), entries: Type.Integer(), findings: Type.Integer() }),
  ),
  /** A longer log is checked on the command line. */
  mostEntries: Type.Integer(),
})
export type Verification = Of<typeof Verification>

/** What a check has found. */
export const Checked = Type.Object({
  at: timestamp,
  entries: Type.Integer({ description: 'all entries of the log that were read' }),
  checkpoints: Type.Integer({ description: 'signed checkpoints that were compared' }),
  findings: Type.Array(Type.String(), { description: 'empty when the log is as it was sealed' }),
})
export type Checked = Of<typeof Checked>

export const reads = {
  'audit.list': operation(AuditQuery, pageOf(AuditEntry)),
  /** How many match, counted no further than one more than an export takes. */
  'audit.count': operation(
    Type.Object({
      ...AuditFilter.properties,
      newerThan: Type.Optional(
        Type.String({
          pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
          description: 'id of an entry: only newer ones are counted',
        }),
      ),
    }),
    Type.Object({
      count: Type.Integer(),
      more: Type.Boolean({ description: 'more match than were counted' }),
    }),
  ),
  /** A file, as GET /v1/audit/export gives it. */
  'audit.export': operation(AuditExportQuery, Type.Unknown()),
  'audit.proof': operation(Type.Object({ export: exportId }), ExportProof),
  'audit.verification': operation(Type.Object({}), Verification),
} satisfies Operations

export const writes = {
  /** Reads the whole log of the workspace and holds it against its checkpoints. The check is recorded. */
  'audit.verify': operation(Type.Object({}, { additionalProperties: false }), Checked),
} satisfies Operations
