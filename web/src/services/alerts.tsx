import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import { BellOff } from 'lucide-react'
import { PagedAlerts } from '../incidents/paged-alerts.tsx'
import { Section } from '../ui/page.tsx'

export const ServiceAlerts = ({ service }: { service: ServiceRow }) => (
  <Section
    title="Alerts"
    hint="Every alert from this service’s sources. If one didn’t open an incident, you can see why."
  >
    <PagedAlerts
      filter={{ service: service.id }}
      of="service"
      icon={BellOff}
      howToSee="To see one here, open a source and send a test alert."
    />
  </Section>
)
