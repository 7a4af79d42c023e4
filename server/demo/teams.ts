import { acceptanceSpec, type Preset, presets } from '../domain/policies/presets.ts'
import type { DemoPolicyVersion, DemoTeam, DemoWorkspace } from './script.ts'

export const workspace: DemoWorkspace = {
  slug: 'halden-parcels',
  name: 'Halden Parcels (demo)',
  createdMinutesAgo: 13_500,
}

/** What each preset sets; a version names only its differences. */
const of = <P extends Preset>(preset: P) => ({ preset, custom: false, ...presets[preset] })
const trial = of('trial')
const supervised = of('supervised')
const balanced = of('balanced')
const autonomous = of('autonomous')

const acceptance = acceptanceSpec

/** The last word of every policy here: no agent is connected, and nothing shall look as if one were. */
const played = (versions: DemoPolicyVersion[], by: string): DemoPolicyVersion[] => {
  const last = versions.at(-1)!
  const reason = 'This is a demo: outcomes are scripted, no coding agent is connected.'
  return [
    ...versions,
    { ...last, version: last.version + 1, executor: 'scripted', reason, by, minutesAgo: 45 },
  ]
}

const checkoutPolicy: DemoPolicyVersion[] = [
  {
    ...supervised,
    version: 1,
    executor: 'claude_code',
    deniedPaths: [acceptance, 'infra/**', 'src/payment/keys/**'],
    reason: 'First policy: every plan and every merge is seen by a person.',
    by: 'tomasz.wrobel@example.com',
    minutesAgo: 13_430,
  },
  {
    ...balanced,
    version: 2,
    executor: 'claude_code',
    deniedPaths: [acceptance, 'infra/**', 'src/payment/keys/**'],
    reason: 'Review of the first days: small changes may merge without asking.',
    by: 'tomasz.wrobel@example.com',
    minutesAgo: 10_300,
  },
  {
    ...balanced,
    custom: true,
    version: 3,
    executor: 'claude_code',
    budgets: { runCents: 1_500, dayCents: 9_000, monthCents: 90_000 },
    deniedPaths: [acceptance, 'infra/**', 'src/payment/keys/**'],
    reason: 'The run of WEB-12 used 9.10 euro of 10.00; payment stories need more room.',
    by: 'ines.carvalho@example.com',
    minutesAgo: 7_000,
  },
  {
    ...balanced,
    custom: true,
    version: 4,
    executor: 'claude_code',
    budgets: { runCents: 1_500, dayCents: 9_000, monthCents: 90_000 },
    mergePolicy: 'ask',
    autoMergeMaxLines: null,
    deniedPaths: [acceptance, 'infra/**', 'src/payment/keys/**'],
    reason: 'Outcome of the incident review: merges in checkout are asked for until the end of the quarter.',
    by: 'tomasz.wrobel@example.com',
    minutesAgo: 2_600,
  },
  {
    ...balanced,
    custom: true,
    version: 5,
    executor: 'claude_code',
    maxConcurrency: 4,
    budgets: { runCents: 1_500, dayCents: 9_000, monthCents: 90_000 },
    mergePolicy: 'ask',
    autoMergeMaxLines: null,
    deniedPaths: [acceptance, 'infra/**', 'src/payment/keys/**'],
    reason: 'Runs that wait for an answer filled the three places.',
    by: 'joris.vandijk@example.com',
    minutesAgo: 1_250,
  },
]

const lockerPolicy: DemoPolicyVersion[] = [
  {
    ...supervised,
    version: 1,
    executor: 'claude_code',
    deniedPaths: [acceptance, 'boot/keys/**', 'release/signing/**'],
    reason: 'Firmware is supervised; key material is out of reach.',
    by: 'tomasz.wrobel@example.com',
    minutesAgo: 13_190,
  },
  {
    ...supervised,
    version: 2,
    executor: 'codex',
    deniedPaths: [acceptance, 'boot/keys/**', 'release/signing/**'],
    reason: 'Trial of a second coding agent on the C code base.',
    by: 'tomasz.wrobel@example.com',
    minutesAgo: 11_000,
  },
]

const routePolicy: DemoPolicyVersion[] = [
  {
    ...balanced,
    version: 1,
    executor: 'codex',
    deniedPaths: [acceptance, 'deploy/**'],
    reason: 'First policy.',
    by: 'ines.carvalho@example.com',
    minutesAgo: 13_390,
  },
  {
    ...autonomous,
    version: 2,
    executor: 'codex',
    deniedPaths: [acceptance, 'deploy/**'],
    reason: 'The planner has a replay suite over 90 days; it may merge what the suite accepts.',
    by: 'ines.carvalho@example.com',
    minutesAgo: 9_800,
  },
  {
    ...autonomous,
    version: 3,
    executor: 'opencode',
    deniedPaths: [acceptance, 'deploy/**'],
    reason: 'Agent with an open licence, so that the runner can stay in the depot network.',
    by: 'joris.vandijk@example.com',
    minutesAgo: 6_100,
  },
]

const dataPolicy: DemoPolicyVersion[] = [
  {
    ...supervised,
    version: 1,
    executor: 'gemini',
    deniedPaths: [acceptance, 'infra/terraform/**', 'secrets/**'],
    reason: 'First policy.',
    by: 'tomasz.wrobel@example.com',
    minutesAgo: 12_890,
  },
  {
    ...balanced,
    version: 2,
    executor: 'gemini',
    deniedPaths: [acceptance, 'infra/terraform/**', 'secrets/**'],
    reason: 'Two runs without a finding; plans are asked for by risk only.',
    by: 'tomasz.wrobel@example.com',
    minutesAgo: 10_900,
  },
  {
    ...balanced,
    version: 3,
    executor: 'claude_code',
    deniedPaths: [acceptance, 'infra/terraform/**', 'secrets/**'],
    reason: 'Same coding agent as checkout, so that both teams share one contract.',
    by: 'joris.vandijk@example.com',
    minutesAgo: 4_300,
  },
]

const partnerPolicy: DemoPolicyVersion[] = [
  {
    ...trial,
    version: 1,
    executor: 'copilot',
    deniedPaths: [acceptance, 'config/partners/**'],
    reason: 'Trial for four weeks; people merge.',
    by: 'tomasz.wrobel@example.com',
    minutesAgo: 11_690,
  },
  {
    ...trial,
    custom: true,
    version: 2,
    executor: 'copilot',
    acceptanceRequired: true,
    deniedPaths: [acceptance, 'config/partners/**'],
    reason: 'Statements are legal documents: the acceptance spec is required from now on.',
    by: 'tomasz.wrobel@example.com',
    minutesAgo: 8_100,
  },
]

export const teams: DemoTeam[] = [
  {
    slug: 'checkout-web',
    name: 'Checkout Web',
    description: 'Basket, locker choice, payment and order pages of the web shop.',
    keyPrefix: 'WEB',
    createdBy: 'ines.carvalho@example.com',
    createdMinutesAgo: 13_440,
    pausedMinutesAgo: null,
    policyVersions: played(checkoutPolicy, 'ines.carvalho@example.com'),
  },
  {
    slug: 'locker-firmware',
    name: 'Locker Firmware',
    description: 'Firmware of the locker stations and the gateway they talk to.',
    keyPrefix: 'LOCK',
    createdBy: 'tomasz.wrobel@example.com',
    createdMinutesAgo: 13_200,
    pausedMinutesAgo: null,
    policyVersions: played(lockerPolicy, 'ines.carvalho@example.com'),
  },
  {
    slug: 'route-planning',
    name: 'Route Planning',
    description: 'Plans the daily tours of the vans between depots and lockers.',
    keyPrefix: 'ROUTE',
    createdBy: 'ines.carvalho@example.com',
    createdMinutesAgo: 13_400,
    pausedMinutesAgo: null,
    policyVersions: played(routePolicy, 'ines.carvalho@example.com'),
  },
  {
    slug: 'data-platform',
    name: 'Data Platform',
    description: 'Warehouse, event log and the handling of personal data.',
    keyPrefix: 'DATA',
    createdBy: 'tomasz.wrobel@example.com',
    createdMinutesAgo: 12_900,
    pausedMinutesAgo: null,
    policyVersions: played(dataPolicy, 'ines.carvalho@example.com'),
  },
  {
    slug: 'partner-portal',
    name: 'Partner Portal',
    description: 'Self-service pages for shops that send with us.',
    keyPrefix: 'PART',
    createdBy: 'tomasz.wrobel@example.com',
    createdMinutesAgo: 11_700,
    pausedMinutesAgo: 2_870,
    policyVersions: played(partnerPolicy, 'ines.carvalho@example.com'),
  },
  {
    slug: 'depot-tools',
    name: 'Depot Tools',
    description: null,
    keyPrefix: 'DEPOT',
    createdBy: 'joris.vandijk@example.com',
    createdMinutesAgo: 1_380,
    pausedMinutesAgo: null,
    policyVersions: [],
  },
]

/** A second, unrelated company: nothing of it may be seen from the first. */
export const otherWorkspace: DemoWorkspace = {
  slug: 'marlow-bay-ferries',
  name: 'Marlow Bay Ferries (demo)',
  createdMinutesAgo: 9_000,
}

export const otherTeams: DemoTeam[] = [
  {
    slug: 'ticketing',
    name: 'Ticketing',
    description: 'Ticket sale and boarding control of the island ferries.',
    keyPrefix: 'FERRY',
    createdBy: 'noor.rahimi@example.org',
    createdMinutesAgo: 8_940,
    pausedMinutesAgo: null,
    policyVersions: played(
      [
        {
          ...supervised,
          version: 1,
          executor: 'codex',
          deniedPaths: [acceptance, 'ops/**'],
          reason: 'First policy.',
          by: 'noor.rahimi@example.org',
          minutesAgo: 8_930,
        },
      ],
      'noor.rahimi@example.org',
    ),
  },
]
