import { ValueType } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics'
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from 'prom-client'

type Family = MetricObjectWithValues<MetricValue<string>>
type Time = [seconds: number, nanoseconds: number]

const timeOf = (milliseconds: number): Time => [
  Math.floor(milliseconds / 1_000),
  Math.round((milliseconds % 1_000) * 1e6),
]

/** What the page of metrics has, for OpenTelemetry: counted once, told in two ways. */
export function registryProducer(
  registry: Registry,
  scope: { name: string; version: string },
): MetricProducer {
  const begun = timeOf(performance.timeOrigin)
  return {
    async collect() {
      const families = (await registry.getMetricsAsJSON()) as Family[]
      const now = timeOf(Date.now())
      const metrics = families.flatMap((family) => metricOf(family, begun, now))
      return {
        // The reader puts its own in place of it.
        resourceMetrics: { resource: resourceFromAttributes({}), scopeMetrics: [{ scope, metrics }] },
        errors: [],
      }
    },
  }
}

function metricOf(family: Family, startTime: Time, endTime: Time): MetricData[] {
  const { name, help, type, values } = family
  if (values.length === 0) return []
  const descriptor = { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE }
  const shared = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE }
  const point = ({ labels, value }: MetricValue<string>): DataPoint<number> => ({
    ...{ startTime, endTime, value },
    attributes: { ...labels },
  })
  // prom-client writes the name of a type; in its types it is a number.
  switch (String(type)) {
    case 'gauge':
      return [{ ...shared, dataPointType: DataPointType.GAUGE, dataPoints: values.map(point) }]
    case 'counter':
      return [
        { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: values.map(point) },
      ]
    case 'histogram': {
      const dataPoints = histogramsOf(name, values as MetricValueWithName<string>[]).map(
        ({ attributes, value }) => ({ startTime, endTime, attributes, value }),
      )
      return [{ ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints }]
    }
    default:
      return []
  }
}

const unitOf = (name: string) => (/_seconds(_total)?$/.test(name) ? 's' : /_bytes$/.test(name) ? 'By' : '')

/** Prometheus counts what is below each bound, OpenTelemetry what is between two. */
function histogramsOf(name: string, values: readonly MetricValueWithName<string>[]) {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels))
  return [...series].map(([labels, its]) => {
    const of = (ending: string) => its.filter(({ metricName }) => metricName === `${name}${ending}`)
    const buckets = of('_bucket').map(({ labels: { le }, value }) => ({
      bound: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
      value,
    }))
    buckets.sort((a, b) => a.bound - b.bound)
    const value: Histogram = {
      buckets: {
        boundaries: buckets.map(({ bound }) => bound).filter(Number.isFinite),
        counts: buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0)),
      },
      sum: of('_sum')[0]?.value ?? 0,
      count: of('_count')[0]?.value ?? 0,
    }
    return { attributes: JSON.parse(labels) as Record<string, string>, value }
  })
}
