import { type TEnum, Type } from 'typebox'
import { runKey, teamSlug } from './keys.ts'
import { cursor, limit } from './page.ts'
import { anyRecordOf, nullable, type Of, oneOf, timestamp, uuid } from './shapes.ts'

export const maxExportEntries = 5_000

export const actorTypes = ['human', 'service', 'system'] as const
export const auditResults = ['success', 'failure', 'denied'] as const

/** Every event the log can hold. Display names ("Signal received") are these words with spaces. */
export const auditEvents = [
  'decision_resolved',
  'decision_raised',
  'decision_expired',
  'decision_cancelled',
  'decision_superseded',
  'decision_snoozed',
  'policy_changed',
  'policy_suggestion_declined',
  'policy_evaluated',
  'team_created',
  'team_changed',
  'team_paused',
  'team_resumed',
  'team_deleted',
  'pull_request_merged',
  'run_started',
  'run_state_changed',
  'requirement_submitted',
  'requirement_answered',
  'requirement_replied',
  'story_changed',
  'story_written',
  'view_changed',
  'tracker_written',
  'local_work_reported',
  'runner_changed',
  'survey_changed',
  'connection_changed',
  'service_changed',
  'signal_source_changed',
  'signal_received',
  'incident_opened',
  'incident_updated',
  'incident_resolved',
  'alert_updated_in_source',
  'webhook_endpoint_changed',
  'audit_exported',
  'audit_verified',
  'token_created',
  'token_revoked',
  'member_joined',
  'member_removed',
  'member_role_changed',
  'member_renamed',
  'member_invited',
  'invitation_revoked',
  'person_erased',
  'signed_in',
  'sign_in_failed',
  'signed_out',
  'identity_confirmed',
  'session_revoked',
  'sign_in_method_changed',
  'notifications_changed',
  'chat_linked',
  'workspace_created',
  'workspace_changed',
  'workspace_deleted',
  'workspace_restored',
  'secret_key_rotated',
  'retention_applied',
  'provisioning_changed',
  'audit_month_archived',
  'backup_created',
] as const
export type AuditEvent = (typeof auditEvents)[number]

export const entityTypes = [
  'workspace',
  'team',
  'policy',
  'requirement',
  'story',
  'draft',
  'view',
  'run',
  'decision',
  'incident',
  'alert',
  'runner',
  'survey',
  'connection',
  'service',
  'signal_source',
  'webhook_endpoint',
  'token',
  'member',
  'invitation',
  'group',
  'audit_export',
  'audit_log',
] as const

/** As a type the set of them, not the list: with a list of some fifty the compiler gives up on whatever holds it. */
const anEvent: TEnum<AuditEvent[]> = oneOf(auditEvents)

export const AuditEntry = Type.Object(
  {
    id: uuid,
    timestamp,
    actor: Type.Object(
      {
        type: oneOf(actorTypes),
        name: Type.String(),
        userId: nullable(uuid),
      },
      { additionalProperties: false },
    ),
    team: nullable(teamSlug),
    runKey: nullable(runKey),
    event: anEvent,
    result: oneOf(auditResults),
    entity: Type.Object(
      { type: oneOf(entityTypes), id: Type.String(), name: nullable(Type.String()) },
      { additionalProperties: false },
    ),
    details: anyRecordOf(Type.Unknown(), {
      description: 'channel, changes [{field, before, after}], note, reason, origin, and keys of the event',
    }),
  },
  { $id: 'AuditEntry', title: 'Audit entry', additionalProperties: false },
)
export type AuditEntry = Of<typeof AuditEntry>

const moment = (which: string) =>
  Type.String({
    format: 'date-or-timestamp',
    description: `${which}; YYYY-MM-DD or an ISO 8601 timestamp, UTC unless it names an offset`,
  })

/** Also taken as people write it: "the service", "Signal received". The set of them, as above. */
const spoken = <const V extends string[]>(values: readonly [...V], description: string): TEnum<V[number][]> =>
  Type.Enum(values, { type: 'string', description, 'x-spoken': true })

const filters = {
  team: Type.Optional(teamSlug),
  actor: Type.Optional(spoken(actorTypes, 'who acted; "the service" is accepted for service')),
  event: Type.Optional(
    spoken(auditEvents, 'event type; the display name, as "Signal received", is accepted too'),
  ),
  run: Type.Optional(runKey),
  from: Type.Optional(moment('first moment, inclusive; a date means its first millisecond')),
  to: Type.Optional(moment('last moment, inclusive; a date means the whole day')),
}

export const AuditFilter = Type.Object(filters)
export type AuditFilter = Of<typeof AuditFilter>

export const AuditQuery = Type.Object({
  ...filters,
  limit: Type.Optional(limit),
  cursor: Type.Optional(cursor),
})
export type AuditQuery = Of<typeof AuditQuery>

export const exportFormats = ['json', 'csv'] as const

export const AuditExportQuery = Type.Object({ ...filters, format: Type.Optional(oneOf(exportFormats)) })
export type AuditExportQuery = Of<typeof AuditExportQuery>

/**
 * A personal value that the log holds as a hash alone, so that the value can be erased: where it is in the entry, and the
 * salt with which it hashes to what was sealed. Of one that was erased there is only the hash.
 */
const Opening = Type.Union([
  Type.Object(
    { path: Type.Array(Type.String()), salt: Type.String({ description: '32 bytes, base64url' }) },
    { additionalProperties: false },
  ),
  Type.Object(
    { path: Type.Array(Type.String()), ref: Type.String({ description: 'SHA-256, base64url' }) },
    { additionalProperties: false },
  ),
])
export type Opening = Of<typeof Opening>

/** Absent where the entry was sealed as it is shown. */
export const openings = Type.Optional(
  Type.Array(Opening, {
    description:
      'personal values of the entry, each sealed as the text personal: and the SHA-256, in base64url, of its salt followed by its JSON; such an entry was sealed with v: 2',
  }),
)

/**
 * What proves an exported file: the sealed hash of each entry, the sealed record of the export, which says how many
 * entries there were and which, and how all of these lead to a signed checkpoint.
 */
export const ExportProof = Type.Object(
  {
    workspace: uuid,
    exportId: uuid,
    checkpoint: Type.String({ description: 'a signed note: origin, tree size, root, signature' }),
    key: Type.String({ description: 'the key of the log' }),
    keyChanges: Type.Optional(
      Type.Array(Type.String(), {
        description: 'signed notes, each by an old and a new key of the log, that lead from one to the other',
      }),
    ),
    entries: Type.Array(
      Type.Object(
        { id: uuid, position: Type.Integer(), hash: Type.String(), personal: openings },
        { additionalProperties: false },
      ),
      { description: 'in the order of the file' },
    ),
    record: Type.Object(
      { position: Type.Integer(), entry: AuditEntry, personal: openings },
      {
        additionalProperties: false,
        description:
          'the audit_exported entry; its details hold the count of the entries and a digest, the SHA-256 of their ids in the order of the file, each followed by a line feed, in base64',
      },
    ),
    nodes: Type.Array(
      Type.Object(
        { from: Type.Integer(), to: Type.Integer(), hash: Type.String() },
        { additionalProperties: false },
      ),
      { description: 'hashes of the subtrees between them' },
    ),
  },
  { $id: 'ExportProof', additionalProperties: false },
)
export type ExportProof = Of<typeof ExportProof>
