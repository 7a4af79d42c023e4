import { idOf, priorities, type Sample } from '../sender/sample.ts'

export const sample: Sample = (alert) => ({
  body: {
    id: String(alert.at.getTime()),
    title: `[${priorities[alert.severity]}] [${alert.status === 'firing' ? 'Triggered' : 'Recovered'}] ${alert.title}`,
    body: `%%%\n${alert.title}\n%%%`,
    event_type: 'metric_alert_monitor',
    date: String(alert.at.getTime()),
    last_updated: String(alert.at.getTime()),
    org: { id: '1', name: 'Example' },
    alert_id: String(Number.parseInt(idOf(alert).slice(0, 8), 16)),
    aggreg_key: idOf(alert),
    alert_title: alert.title,
    alert_transition: alert.status === 'firing' ? 'Triggered' : 'Recovered',
    alert_type: alert.status === 'firing' ? 'error' : 'success',
    alert_priority: priorities[alert.severity],
    tags: `service:${alert.service},env:production`,
    link: 'https://app.datadoghq.eu/monitors/1',
  },
})
