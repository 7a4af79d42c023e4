import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import { BellOff } from 'lucide-react'
import { PagedAlerts } from '../incidents/paged-alerts.tsx'
import { Section } from '../ui/page.tsx'

export const ServiceAlerts = ({ service }: { service: ServiceRow }) => (
  <Section
    title="Alerts"
    hint="Everything that the sources of this service have told of it, also what opened no incident, with the reason."
  >
    <PagedAlerts
      filter={{ service: service.id }}
      of="service"
      icon={BellOff}
      howToSee="Send a test alert from the page of a source to see one here."
    />
  </Section>
)
