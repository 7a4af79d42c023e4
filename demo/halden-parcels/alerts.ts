interface DemoAlert {
  minutesAgo: number
  service: string
  title: string
  severity: string
  fingerprint: string
  status?: 'resolved'
  description?: string
  labels?: Record<string, string>
}

/** Watched by a source of their own, so that nothing a visitor sends joins them. Nothing is started from them. */
export const watched = ['tracking-page', 'parcel-search']

export const alerts: DemoAlert[] = [
  {
    minutesAgo: 305,
    service: 'tracking-page',
    title: 'Tracking page returns 5xx errors',
    severity: 'critical',
    fingerprint: 'tracking-5xx',
    description: 'More than 4 % of requests to `/track` failed in the last five minutes.',
    labels: { region: 'eu-north', path: '/track' },
  },
  {
    minutesAgo: 268,
    service: 'tracking-page',
    title: 'Tracking page returns 5xx errors',
    severity: 'critical',
    fingerprint: 'tracking-5xx',
    status: 'resolved',
  },
  {
    minutesAgo: 96,
    service: 'parcel-search',
    title: 'Index disk is 71 % full',
    severity: 'low',
    fingerprint: 'search-disk',
    labels: { volume: 'search-index-1' },
  },
  {
    minutesAgo: 41,
    service: 'parcel-search',
    title: 'Search is slow',
    severity: 'high',
    fingerprint: 'search-slow',
    description: 'The 95th percentile of `GET /search` is 2.8 s (target: 800 ms).',
    labels: { region: 'eu-north', quantile: '0.95' },
  },
  {
    minutesAgo: 33,
    service: 'parcel-search',
    title: 'Search queries time out',
    severity: 'critical',
    fingerprint: 'search-timeouts',
    description: '112 queries timed out after 10 s in the last five minutes.',
    labels: { region: 'eu-north' },
  },
]
