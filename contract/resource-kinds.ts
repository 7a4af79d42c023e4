/** What a file can manage, in the order in which it is applied. No schema here: the app takes these values too. */
export const resourceKinds = [
  'connections',
  'teams',
  'policies',
  'repositories',
  'places',
  'services',
  'sources',
  'webhooks',
  // Last: what comes after would be done by someone who has given up the role for it.
  'members',
] as const
export type ResourceKind = (typeof resourceKinds)[number]

/** As people call one of them. */
export const resourceNouns: Record<ResourceKind, string> = {
  connections: 'connection',
  teams: 'team',
  policies: 'policy',
  repositories: 'list of repositories',
  places: 'place',
  services: 'service',
  sources: 'source',
  webhooks: 'webhook endpoint',
  members: 'role',
}
