import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Prometheus Alertmanager',
  about: 'Groups of a webhook receiver.',
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
  body: '{"version": "4", "status": "resolved", "alerts": [{"status": "resolved", "fingerprint": "by-hand", "labels": {"alertname": "A test by hand"}}]}',
}
