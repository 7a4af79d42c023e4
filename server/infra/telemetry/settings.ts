export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** As the operator has set it, in the words of the specification of OpenTelemetry. */
export interface TelemetrySettings {
  /** With `/v1/traces` and `/v1/metrics` below it. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  serviceName: string
  resourceAttributes: Readonly<Record<string, string>>
  sampler: (typeof samplers)[number]
  samplerRatio: number
  traces: boolean
  metrics: boolean
  metricIntervalMs: number
  spanDelayMs: number
  timeoutMs: number
}
