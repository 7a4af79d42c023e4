/** The manual's table of contents. Each page is a file below docs/, by its address below /docs. */
export const contents: { name: string; pages: Record<string, string> }[] = [
  {
    name: 'Install',
    pages: {
      ...manual('ways-to-run', 'run-with-npm', 'run-with-systemd', 'run-in-containers', 'run-with-compose'),
      ...manual('run-on-kubernetes', 'run-two-nodes'),
    },
  },
  {
    name: 'Operate',
    pages: {
      ...manual('operating', 'high-availability', 'upgrading', 'backups', 'keys', 'retention', 'monitoring'),
      ...manual('tracing'),
      configuration: 'configuration.md',
      ...manual('sign-in', 'single-sign-on', 'audit', 'personal-data'),
    },
  },
  {
    name: 'Work',
    pages: manual(
      'app',
      'command-line',
      'configuration-as-code',
      'stories',
      'requirements',
      'trackers',
      'runs',
      'races',
      'decisions',
      'precedents',
      'night-report',
      'scoreboard',
      'local-work',
      'maintenance',
      'second-review',
    ),
  },
  {
    name: 'Runners',
    pages: { ...manual('runner', 'fleets', 'git-hosts', 'box', 'gates', 'guard') },
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
      'runbooks/SignalboxAuditArchiveOverdue',
      'runbooks/SignalboxAuditStreamLag',
      'runbooks/SignalboxAuditUnsealed',
      'runbooks/SignalboxBackupMissing',
      'runbooks/SignalboxCheckpointsNotSent',
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
