// Generated from create-partitions.ts and the migrations by `npm run generate`. Do not edit.

export interface Prepared { parameters: { until: Date | string }; row: { prepare_audit_months: unknown | null } }
export interface Impatient { parameters: Record<never, never>; row: { set_config: string | null } }
