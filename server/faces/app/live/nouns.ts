import type { News } from '../../../domain/record/audit/news.ts'

/** What of the app's reads an event makes old, by the noun its operations begin with. */
const touched: [RegExp, string[]][] = [
  // Only the person who has put it off sees it elsewhere; all others read a few counts again.
  [/^decision_snoozed/, ['decisions']],
  [
    /^decision_(?!snoozed)/,
    ['decisions', 'runs', 'stories', 'teams', 'incidents', 'notifications', 'practice', 'report'],
  ],
  [/^run_started/, ['workspaces', 'practice']],
  [
    /^run_|^policy_evaluated|^local_work_/,
    ['runs', 'decisions', 'stories', 'teams', 'notifications', 'runners', 'practice'],
  ],
  [
    /^policy_|^team_|^pull_request_/,
    [
      'teams',
      'policies',
      'runs',
      'stories',
      'maintenance',
      'connections',
      'chat',
      'workspaces',
      'mirror',
      'practice',
    ],
  ],
  [/^policy_(changed|suggestion_)/, ['suggestions', 'notifications']],
  // What a file manages is compared with it: a change of any kind of it can make it differ.
  [/^policy_changed|^(team|member|connection|service|signal_source|webhook)_/, ['managed']],
  [/^survey_/, ['maintenance', 'teams', 'runners']],
  [
    /^requirement_|^story_|^tracker_/,
    ['requirements', 'conversations', 'stories', 'teams', 'workspaces', 'mirror'],
  ],
  [/^view_/, ['views']],
  [/^runner_/, ['runners', 'runs', 'stories', 'teams', 'workspaces', 'practice']],
  [/^connection_/, ['connections', 'chat', 'teams', 'workspaces', 'mirror']],
  [/^service_/, ['services', 'sources', 'incidents']],
  [/^signal_source_/, ['workspaces']],
  [/^signal_/, ['sources', 'services', 'incidents']],
  [/^incident_|^alert_/, ['incidents', 'services', 'sources', 'notifications', 'practice']],
  [/^webhook_/, ['webhooks', 'notifications']],
  [/^token_/, ['tokens', 'runners']],
  [/^member_|^invitation_/, ['members', 'tokens', 'singleSignOn']],
  [
    /^person_/,
    [
      'members',
      'tokens',
      'singleSignOn',
      'services',
      'incidents',
      'decisions',
      'requirements',
      'runs',
      'teams',
    ],
  ],
  [/^provisioning_/, ['singleSignOn', 'members']],
  [/^secret_key_/, ['audit']],
  [/^audit_month_/, ['audit']],
  [/^backup_/, ['system']],
  [/^retention_/, ['runs', 'sources', 'incidents', 'notifications']],
  [/^workspace_/, ['workspaces', 'members', 'chat', 'runners', 'singleSignOn', 'managed']],
]

interface Stale {
  nouns: string[]
  /**
   * What the listener's own requests made old, by their ids: the tab that sent one has already read some of it again.
   */
  own: Record<string, string[]>
}

/** The nouns to read again after this news, for one listener. */
export function staleAfter(news: readonly News[], listenerId: string): Stale {
  const theirs = new Set(news.filter(({ userId }) => userId === listenerId).map(({ requestId }) => requestId))
  // What the service does along with a request belongs to the request.
  const byRequest = Map.groupBy(news, ({ requestId }) => (theirs.has(requestId) ? requestId : null))
  const others = byRequest.get(null)
  byRequest.delete(null)
  return {
    nouns: others ? nounsOf(others) : [],
    own: Object.fromEntries([...byRequest].map(([requestId, some]) => [requestId!, nounsOf(some)])),
  }
}

/** Every event is news of the audit log itself. */
function nounsOf(news: readonly News[]): string[] {
  const nouns = new Set(['audit'])
  for (const event of new Set(news.map(({ event }) => event))) {
    for (const [pattern, those] of touched) if (pattern.test(event)) for (const noun of those) nouns.add(noun)
  }
  return [...nouns]
}
