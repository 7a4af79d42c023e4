import { Eye } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'

export const ObserveOnly = () => (
  <Badge
    tone="info"
    icon={Eye}
    title="No fix is started, no revert proposed, no alert changed"
    word="Observe only"
  />
)
