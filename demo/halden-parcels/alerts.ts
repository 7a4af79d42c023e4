import { repositoryOf } from '../shorthand/repositories.ts'
import { moving } from './arrivals.ts'

interface DemoAlert {
  minutesAgo: number
  service: string
  title: string
  severity: string
  fingerprint: string
  status?: 'resolved'
  description?: string
  labels?: Record<string, string>
  /** How long before the alert its code went live, where the alert says so. */
  deployedMinutesBefore?: number
}

interface DemoService {
  name: string
  team: string
  /** Nothing is started or proposed from its incidents. */
  observeOnly?: true
  repositories: { url: string; path: string }[]
}

const codeOf = (team: string) => [{ url: repositoryOf(team), path: '' }]

/** Of the source that watches these services. */
export const probes = 'Public page probes'

/** An uptime check, and what it found and when. Its page is the demo's own: a check that runs looks at a real address. */
export const pageCheck = {
  service: 'tracking-page',
  name: 'Tracking page check (part of this demo)',
  url: 'http://127.0.0.1/',
  looks: [
    { minutesAgo: 1_490, status: 200 },
    { minutesAgo: 304, status: 503 },
    { minutesAgo: 269, status: 200 },
    { minutesAgo: 0, status: 200 },
  ],
}

/** Watched by a source of their own, so that nothing a visitor sends joins them. */
export const watched: DemoService[] = [
  { name: 'tracking-page', team: 'data-platform', repositories: codeOf('data-platform') },
  { name: 'parcel-search', team: 'data-platform', observeOnly: true, repositories: codeOf('data-platform') },
  { name: 'delivery-notices', team: 'checkout-web', repositories: codeOf('checkout-web') },
  { name: 'address-check', team: 'checkout-web', repositories: codeOf('checkout-web') },
  { name: moving.service, team: moving.team, repositories: codeOf(moving.team) },
]

/** What people did about the incident of a service, and when it was investigated. */
export interface DemoResponse {
  minutesAgo: number
  service: string
  act: 'investigate' | 'acknowledge' | 'take' | { note: string } | { declines: string }
  /** Email; the investigation is the service's own. */
  by?: string
}

const [kenji, leila, joris, amara] = ['kenji.morita', 'leila.haddad', 'joris.vandijk', 'amara.okafor'].map(
  (name) => `${name}@example.com`,
) as [string, string, string, string]

export const responses: DemoResponse[] = [
  { minutesAgo: 304, service: 'tracking-page', act: 'investigate' },
  { minutesAgo: 301, service: 'tracking-page', act: 'acknowledge', by: amara },
  { minutesAgo: 299, service: 'tracking-page', act: 'take', by: amara },
  {
    minutesAgo: 296,
    service: 'tracking-page',
    by: amara,
    act: {
      note: 'The database behind the tracking view is at 100% CPU. The rebuild of the view runs every minute and takes 70 s, so rebuilds pile up.',
    },
  },
  {
    minutesAgo: 289,
    service: 'tracking-page',
    by: joris,
    act: {
      note: 'That is my change, #84. I set `views/tracking/schedule.json` back to ten minutes by hand instead of reverting, because the faster query in it is worth keeping.',
    },
  },
  {
    minutesAgo: 288,
    service: 'tracking-page',
    by: joris,
    act: { declines: 'The schedule is back at ten minutes; the rest of the change stays.' },
  },
  {
    minutesAgo: 274,
    service: 'tracking-page',
    by: amara,
    act: { note: 'CPU is at 35%, errors are below 0.1%. Waiting for the alert to recover.' },
  },
  {
    minutesAgo: 251,
    service: 'tracking-page',
    by: joris,
    act: {
      note: 'Follow-up: the schedule must not be shorter than the last rebuild took. Filed with the team.',
    },
  },
  { minutesAgo: 72, service: 'delivery-notices', act: 'investigate' },
  { minutesAgo: 66, service: 'delivery-notices', act: 'acknowledge', by: leila },
  { minutesAgo: 65, service: 'delivery-notices', act: 'take', by: leila },
  {
    minutesAgo: 61,
    service: 'delivery-notices',
    by: leila,
    act: {
      note: 'It is the certificate of the SMS provider, not ours. Their support has confirmed it and renews it today. Notices go out by email until then.',
    },
  },
  { minutesAgo: 32, service: 'parcel-search', act: 'investigate' },
  { minutesAgo: 28, service: 'parcel-search', act: 'acknowledge', by: kenji },
  { minutesAgo: 22, service: 'address-check', act: 'investigate' },
]

export const alerts: DemoAlert[] = [
  {
    minutesAgo: 305,
    service: 'tracking-page',
    title: 'Tracking page returns 5xx errors',
    severity: 'critical',
    fingerprint: 'tracking-5xx',
    description:
      'More than 4% of requests to `/track` failed in the last five minutes.\n\nError: statement timeout\n    at rebuild (views/tracking/rebuild.ts:64:11)\n    at track (views/tracking/read.ts:19:5)',
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
    title: 'Index disk is 71% full',
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
  {
    minutesAgo: 74,
    service: 'delivery-notices',
    title: 'Text messages are not sent',
    severity: 'high',
    fingerprint: 'notices-sms',
    description:
      'All 38 messages since the last check failed: CERT_HAS_EXPIRED, the certificate of sms.example.com has expired.',
    labels: { provider: 'sms.example.com' },
  },
  {
    minutesAgo: 24,
    service: 'address-check',
    title: 'Orders to new delivery areas fail',
    severity: 'critical',
    fingerprint: 'address-area-type-error',
    description:
      "TypeError: Cannot read properties of undefined (reading 'areas')\n    at areaOf (src/area/client.ts:88:21)\n    at createOrder (src/orders/create.ts:41:17)\n\n61 orders were refused in the last five minutes.",
    labels: { region: 'eu-north', path: 'POST /orders', commit: '7d529975dcb6de0703b4ab7ed013e50181d960e9' },
    deployedMinutesBefore: 19,
  },
]
