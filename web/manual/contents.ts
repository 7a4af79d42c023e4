/** The manual's table of contents. Each page is a file below docs/, by its address below /docs. */
export const contents: { name: string; pages: Record<string, string> }[] = [
  {
    name: 'Install',
    pages: {
      ...manual('ways-to-run', 'run-with-npm', 'run-with-systemd', 'run-in-containers', 'run-with-compose'),
      ...manual('run-on-kubernetes'),
    },
  },
  {
    name: 'Operate',
    pages: {
      ...manual('operating', 'upgrading', 'backups', 'keys', 'retention', 'monitoring'),
      configuration: 'configuration.md',
      ...manual('sign-in', 'audit'),
    },
  },
  {
    name: 'Work',
    pages: manual(
      'app',
      'command-line',
      'stories',
      'requirements',
      'trackers',
      'runs',
      'decisions',
      'local-work',
      'maintenance',
    ),
  },
  {
    name: 'Runners',
    pages: { ...manual('runner', 'git-hosts', 'box', 'gates', 'guard') },
  },
  {
    name: 'Coding agents',
    pages: {
      ...manual('agents', 'agents/claude-code', 'agents/codex', 'agents/gemini', 'agents/copilot'),
      ...manual('agents/opencode', 'agents/qwen', 'agents/pi', 'agents/command', 'agents/scripted'),
      'agents/tried-versions': 'agents.md',
      ...manual('mcp'),
    },
  },
  {
    name: 'Connections',
    pages: manual(
      ...[
        'connections',
        'connections/github',
        'connections/gitlab',
        'connections/jira',
        'connections/linear',
      ],
      'slack',
    ),
  },
  {
    name: 'On-call',
    pages: {
      ...manual(
        'alerts',
        'investigation',
        'senders/alertmanager',
        'senders/azure_monitor',
        'senders/cloudwatch',
      ),
      ...manual(
        'senders/datadog',
        'senders/generic',
        'senders/grafana',
        'senders/newrelic',
        'senders/opsgenie',
      ),
      ...manual('senders/pagerduty', 'senders/sentry', 'senders/statuspage'),
    },
  },
  {
    name: 'Runbooks',
    pages: manual(
      'runbooks/SignalboxAuditUnsealed',
      'runbooks/SignalboxBackupMissing',
      'runbooks/SignalboxClockSkew',
      'runbooks/SignalboxConnectionsFailing',
      'runbooks/SignalboxDatabaseConnections',
      'runbooks/SignalboxDatabaseUnreadable',
      'runbooks/SignalboxDiskFilling',
      'runbooks/SignalboxDown',
      'runbooks/SignalboxErrors',
      'runbooks/SignalboxHooksBacklog',
      'runbooks/SignalboxIntakeBacklog',
      'runbooks/SignalboxLeasesNotCollected',
      'runbooks/SignalboxNoRunner',
      'runbooks/SignalboxOrdersWaiting',
      'runbooks/SignalboxOutboxStuck',
      'runbooks/SignalboxPoolExhausted',
      'runbooks/SignalboxReplicationLag',
      'runbooks/SignalboxRunnersOffline',
      'runbooks/SignalboxRunsStuck',
      'runbooks/SignalboxVersionsDiffer',
      'runbooks/SignalboxWebhooksFailing',
      'runbooks/SignalboxWorkersReplaced',
    ),
  },
  {
    name: 'Reference',
    pages: {
      ...manual('api', 'client', 'webhooks', 'webhook-events'),
      'runner-protocol': 'runner-protocol.md',
      glossary: 'glossary.md',
    },
  },
]

function manual(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `manual/${name}.md`]))
}
