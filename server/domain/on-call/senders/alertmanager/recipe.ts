import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Prometheus Alertmanager',
  about: 'Alert groups from a webhook receiver.',
  steps: [
    {
      text: 'Save the secret to a file that only Alertmanager can read, such as /etc/alertmanager/signalbox.secret.',
      code: '{secret}',
    },
    {
      text: 'Add a receiver to alertmanager.yml and route alerts to it:',
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
      text: 'Check the file and reload it:',
      code: `amtool check-config alertmanager.yml
curl -X POST http://localhost:9093/-/reload`,
    },
    { text: 'Set the severity label to critical or high on rules that should open incidents.' },
  ],
  notes: [
    'With send_resolved off, alerts never recover.',
    'If this server’s certificate is from your own authority, add tls_config: {ca_file: …} under http_config.',
    'Unknown severities, such as page or major, count as medium.',
  ],
  body: '{"version": "4", "status": "resolved", "alerts": [{"status": "resolved", "fingerprint": "by-hand", "labels": {"alertname": "A test by hand"}}]}',
}
