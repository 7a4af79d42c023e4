/** What people merged themselves in the last days, in the repositories of the teams: a run is not behind every merge. */
export interface DemoMerge {
  /** The team's slug is the repository's name. */
  repository: string
  minutesAgo: number
  author: string
  title: string
  pullRequest: number
  paths: string[]
}

export const merges: DemoMerge[] = [
  {
    repository: 'checkout-web',
    minutesAgo: 1_310,
    author: 'Amara Okafor',
    title: 'Wording of the delivery window on the cart page',
    pullRequest: 449,
    paths: ['src/cart/DeliveryWindow.tsx', 'src/i18n/cart.json'],
  },
  {
    repository: 'checkout-web',
    minutesAgo: 2_520,
    author: 'Kenji Morita',
    title: 'Raise the timeout of the payment sandbox in tests',
    pullRequest: 445,
    paths: ['test/payment/sandbox.ts'],
  },
  {
    repository: 'data-platform',
    minutesAgo: 402,
    author: 'Joris van Dijk',
    title: 'Rebuild the tracking view every minute instead of every ten',
    pullRequest: 84,
    paths: ['views/tracking/rebuild.ts', 'views/tracking/schedule.json'],
  },
  {
    repository: 'data-platform',
    minutesAgo: 1_960,
    author: 'Joris van Dijk',
    title: 'Log slow queries of the parcel search',
    pullRequest: 83,
    paths: ['search/query.ts', 'search/log.ts'],
  },
  {
    repository: 'partner-portal',
    minutesAgo: 1_480,
    author: 'Leila Haddad',
    title: 'New footer with the address of the support desk',
    pullRequest: 121,
    paths: ['src/layout/Footer.tsx'],
  },
]
