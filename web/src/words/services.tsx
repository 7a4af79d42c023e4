import { Eye } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'

export const ObserveOnly = () => (
  <Badge
    tone="info"
    icon={Eye}
    title="No fixes started, no reverts proposed, no alerts changed"
    word="Observe only"
  />
)
