/** First words of addresses that mean something else: a workspace of that name could not be opened. */
const reserved = new Set([
  'account',
  'api',
  'assets',
  'boards',
  'device',
  'docs',
  'health',
  'healthz',
  'invite',
  'livez',
  'login',
  'manage',
  'mcp',
  'new',
  'projects',
  'readyz',
  'scim',
  'setup',
  'signals',
  'tasks',
  'v1',
])

export const isReserved = (slug: string): boolean => reserved.has(slug)
