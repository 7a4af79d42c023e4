import { idOf, priorities, type Sample } from '../sender/sample.ts'

export const sample: Sample = (told) => ({
  body: {
    id: String(told.at.getTime()),
    title: `[${priorities[told.severity]}] [${told.status === 'firing' ? 'Triggered' : 'Recovered'}] ${told.title}`,
    body: `%%%\n${told.title}\n%%%`,
    event_type: 'metric_alert_monitor',
    date: String(told.at.getTime()),
    last_updated: String(told.at.getTime()),
    org: { id: '1', name: 'Example' },
    alert_id: String(Number.parseInt(idOf(told).slice(0, 8), 16)),
    aggreg_key: idOf(told),
    alert_title: told.title,
    alert_transition: told.status === 'firing' ? 'Triggered' : 'Recovered',
    alert_type: told.status === 'firing' ? 'error' : 'success',
    alert_priority: priorities[told.severity],
    tags: `service:${told.service},env:production`,
    link: 'https://app.datadoghq.eu/monitors/1',
  },
})
