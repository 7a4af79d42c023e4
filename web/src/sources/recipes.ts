import type { SenderKind } from '@signalbox/contract/signal.ts'

/** What is done in the sender, step by step. `{url}`, `{key}` (the address with its key) and `{secret}` are filled in. */
interface Step {
  text: string
  code?: string
}

interface Recipe {
  steps: Step[]
  /** What its own test button does, and what to watch out for. */
  notes: string[]
  /**
   * A body for trying the address by hand: a test, or the recovery of something nobody has heard of, so that it opens
   * and holds open nothing. None where nobody but the sender can sign.
   */
  body: string | null
}

export const recipes: Record<SenderKind, Recipe> = {
  generic: {
    steps: [
      { text: 'Put the secret where your script can read it, as SECRET, and the address as URL.' },
      {
        text: 'Send each alert as JSON with at least a title. The other fields are optional:',
        code: `{
  "title": "Nightly backup failed",
  "severity": "high",
  "fingerprint": "backup/orders",
  "service": "order-mailer",
  "labels": {"database": "orders"}
}`,
      },
      { text: 'Sign the exact bytes you send, with the time in front. The command below does so.' },
      { text: 'When it is over, send the same fingerprint with "status": "resolved".' },
    ],
    notes: [
      'Without a fingerprint or an id, a changing title makes a new alert each time, and its recovery never finds it.',
      'Requests that are older than five minutes by their timestamp are refused.',
    ],
    body: '{"title": "A test by hand", "severity": "high", "labels": {"signalbox_test": "true"}}',
  },
  grafana: {
    steps: [
      { text: 'In Grafana, open Alerting, Contact points, and add a contact point.' },
      { text: 'Choose Webhook as integration and paste the address as URL:', code: '{url}' },
      {
        text: 'In the optional settings, under HMAC signature, paste the secret. Leave both header names empty, unless the settings of this source name them.',
        code: '{secret}',
      },
      { text: 'Leave the payload as it is, test it, and save.' },
      { text: 'Under Notification policies, send the alerts you want to this contact point.' },
      {
        text: 'Give your rules a label severity: without one they are medium, and open nothing at the default.',
      },
    ],
    notes: [
      'The test button sends TestAlert, which is recorded as a test and opens nothing.',
      'Leave resolved messages on, or nothing ever recovers.',
      'A Grafana without HMAC signatures can send the secret instead: as the credentials of its authorization header, with the scheme Bearer.',
    ],
    body: '{"status": "firing", "alerts": [{"status": "firing", "fingerprint": "by-hand", "labels": {"alertname": "A test by hand", "severity": "high", "signalbox_test": "true"}}]}',
  },
  pagerduty: {
    steps: [
      {
        text: 'In PagerDuty, open Integrations, Generic Webhooks (v3), and make a new webhook with this address:',
        code: '{url}',
      },
      {
        text: 'Choose its scope, and subscribe to incident.triggered, incident.acknowledged, incident.unacknowledged, incident.reopened, incident.resolved and incident.priority_updated.',
      },
      { text: 'Save. PagerDuty shows the signing secret once: copy it.' },
      { text: 'Paste it into this source as its signing secret.' },
      { text: 'Send a test event from the subscription.' },
    ],
    notes: [
      'The test event, pagey.ping, is recorded as a test and opens nothing.',
      'After three deliveries in a row that are refused, PagerDuty turns the subscription off for a day. Check the test event.',
      'Extensions of version 1 and 2 are not signed and are refused.',
    ],
    body: '{"event": {"id": "by-hand", "event_type": "pagey.ping", "resource_type": "pagey", "data": {"message": "A test by hand"}}}',
  },
  sentry: {
    steps: [
      { text: 'In Sentry, open Settings, Custom Integrations, and create an internal integration.' },
      { text: 'Paste the address as Webhook URL and turn Alert Rule Action on:', code: '{url}' },
      {
        text: 'Give Issue & Event the right Read, and tick issue under Webhooks: recoveries come that way. Save.',
      },
      { text: 'Copy the client secret and paste it into this source.' },
      { text: 'In each alert rule that matters, add the action that notifies your integration.' },
    ],
    notes: [
      'The test of a rule is recorded as a test and opens nothing.',
      'With issue ticked, every new issue is an alert, also without a rule. Raise the lowest severity if that is too much.',
      'Sentry does not try again: an alert that is refused is lost.',
    ],
    body: '{"action": "created", "data": {"issue": {"id": "1", "title": "This is an example JavaScript exception", "level": "error", "project": {"slug": "by-hand"}}}}',
  },
  alertmanager: {
    steps: [
      {
        text: 'Write the secret into a file that only Alertmanager can read, such as /etc/alertmanager/signalbox.secret.',
        code: '{secret}',
      },
      {
        text: 'Add a receiver to alertmanager.yml, and route alerts to it:',
        code: `receivers:
  - name: signalbox
    webhook_configs:
      - url: {url}
        send_resolved: true
        max_alerts: 0
        http_config:
          authorization:
            type: Bearer
            credentials_file: /etc/alertmanager/signalbox.secret`,
      },
      {
        text: 'Check the file and load it:',
        code: `amtool check-config alertmanager.yml
curl -X POST http://localhost:9093/-/reload`,
      },
      { text: 'Write critical or high as the label severity of rules that should open an incident.' },
    ],
    notes: [
      'With send_resolved off, nothing ever recovers.',
      'Words that are no severity, such as page or major, mean medium.',
    ],
    body: '{"version": "4", "status": "firing", "alerts": [{"status": "firing", "fingerprint": "by-hand", "labels": {"alertname": "A test by hand", "severity": "high", "signalbox_test": "true"}}]}',
  },
  datadog: {
    steps: [
      {
        text: 'In Datadog, open Integrations, Webhooks, make a new one called signalbox, and paste the address as URL:',
        code: '{url}',
      },
      {
        text: 'Replace the payload: Datadog’s own has neither a state nor a priority.',
        code: `{
  "id": "$ID",
  "title": "$EVENT_TITLE",
  "alert_transition": "$ALERT_TRANSITION",
  "alert_type": "$ALERT_TYPE",
  "alert_priority": "$ALERT_PRIORITY",
  "alert_id": "$ALERT_ID",
  "alert_scope": "$ALERT_SCOPE",
  "aggreg_key": "$AGGREG_KEY",
  "date": "$DATE",
  "last_updated": "$LAST_UPDATED",
  "body": "$EVENT_MSG",
  "tags": "$TAGS",
  "hostname": "$HOSTNAME",
  "link": "$LINK"
}`,
      },
      { text: 'Tick Custom Headers and enter:', code: '{"Authorization": "Bearer {secret}"}' },
      { text: 'Leave Encode as form off, and save.' },
      {
        text: 'Write @webhook-signalbox into the message of each monitor, outside of any condition, so that the recovery is sent too.',
      },
    ],
    notes: [
      'A test of the monitor editor looks like a real alert, unless its title begins with [TEST].',
      'Give monitors a priority: without one the type counts, and error is high.',
    ],
    body: '{"id": "by-hand", "title": "[P2] [Triggered] A test by hand", "alert_transition": "Triggered", "alert_priority": "P2", "aggreg_key": "by-hand", "tags": "signalbox_test:true"}',
  },
  newrelic: {
    steps: [
      {
        text: 'In New Relic, open Alerts, Destinations, choose Webhook, and paste the address as endpoint:',
        code: '{url}',
      },
      { text: 'Choose Bearer token as authorization, paste the secret, and save.', code: '{secret}' },
      { text: 'Open Alerts, Workflows, add a workflow, and filter the issues you want.' },
      { text: 'Under Notify, choose Webhook and the destination. The default template is enough.' },
      {
        text: 'Notify when an issue is activated, when it is closed, and when its priority changes. Then activate the workflow.',
      },
    ],
    notes: [
      'The test notification is filled with sample data and looks real: it may open an incident. Pause the source while you test there.',
      'After failures New Relic stops calling for some minutes and drops what falls into them.',
    ],
    body: '{"id": "by-hand", "state": "ACTIVATED", "title": "A test by hand", "priority": "HIGH", "labels": {"signalbox_test": "true"}}',
  },
  opsgenie: {
    steps: [
      { text: 'In Opsgenie, open Settings, Integrations, and add an outgoing Webhook integration.' },
      { text: 'Paste the address as webhook URL:', code: '{url}' },
      { text: 'Add a custom header:', code: 'Authorization: Bearer {secret}' },
      { text: 'Tick that description and details are added to the payload.' },
      {
        text: 'Post when an alert is created, acknowledged, closed, deleted, and when its priority is updated. Turn the integration on.',
      },
    ],
    notes: [
      'There is no test body. An alert of priority P3 or below opens nothing at the default.',
      'An acknowledgement never opens an incident.',
    ],
    body: '{"action": "Create", "alert": {"alertId": "by-hand", "message": "A test by hand", "priority": "P2", "details": {"signalbox_test": "true"}}}',
  },
  cloudwatch: {
    steps: [
      { text: 'Make a standard topic in Amazon SNS, or take the one your alarms notify.' },
      {
        text: 'Set the ARN of the topic in the settings of this source, if you have not: messages of any other topic are then refused.',
      },
      {
        text: 'Create a subscription of the topic, protocol HTTPS, with this endpoint. Leave raw message delivery off.',
        code: '{key}',
      },
      { text: 'Signalbox confirms the subscription itself; within moments its status is Confirmed.' },
      {
        text: 'In each alarm, notify the topic for In alarm and for OK. Write [critical] into the description of alarms that are.',
      },
    ],
    notes: [
      'An alarm without a tag in its description is high.',
      'SNS does not try again after a refusal: attach a dead-letter queue.',
      'Only Amazon can sign, so the address cannot be tried by hand. Set the state of an alarm instead.',
    ],
    body: null,
  },
  azure_monitor: {
    steps: [
      { text: 'In the Azure portal, open Monitor, Alerts, Action groups, and create or edit a group.' },
      { text: 'Add an action of the type Webhook, with this URI:', code: '{key}' },
      { text: 'Set the common alert schema to Yes, and save.' },
      { text: 'Choose the group in your alert rules, and let them resolve by themselves.' },
      {
        text: 'If this source feeds several services, give each rule a custom property service with the name.',
      },
    ],
    notes: [
      'Test action group sends samples, which are recorded as tests and open nothing.',
      'Alerts of the activity log never resolve: the incident stays open.',
      'Secure webhooks, with Microsoft Entra ID, are not understood.',
    ],
    body: '{"schemaId": "azureMonitorCommonAlertSchema", "data": {"essentials": {"alertId": "by-hand", "alertRule": "test-by-hand", "severity": "Sev4", "monitorCondition": "Fired"}}}',
  },
  statuspage: {
    steps: [
      { text: 'Open the status page and choose to subscribe to updates.' },
      {
        text: 'On the webhook tab, enter this address, and an e-mail address that hears of failures:',
        code: '{key}',
      },
      { text: 'Where the page offers it, choose the components that matter to you.' },
    ],
    notes: [
      'If the webhook tab is missing, the owner of the page has turned it off.',
      'A page’s own “major” is a partial outage: it is high, not critical.',
    ],
    body: '{"page": {"id": "by-hand"}, "incident": {"id": "by-hand", "name": "A test by hand", "status": "resolved", "impact": "none"}}',
  },
}
