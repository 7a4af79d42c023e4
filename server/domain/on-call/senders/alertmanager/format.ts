import { makeReading, objectFormat } from '../reading/alert.ts'
import { readGroup } from '../reading/alert-group.ts'
import { at } from '../reading/json.ts'

export const format = objectFormat((body) => {
  if (!Array.isArray(at(body, 'alerts')))
    return makeReading({
      problem:
        'The body has no list `alerts`. Let the receiver send its default payload, without a template.',
    })
  return readGroup(body, {
    environments: ['environment', 'env', 'deployment_environment', 'cluster'],
    links: (alert, group) => [
      ['Source', at(alert, 'generatorURL')],
      ['Dashboard', at(alert, 'annotations', 'dashboard_url')],
      ['Alertmanager', at(group, 'externalURL')],
    ],
  })
})
